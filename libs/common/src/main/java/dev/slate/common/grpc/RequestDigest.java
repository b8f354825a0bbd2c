package dev.slate.common.grpc;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Message;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Tells whether two requests ask for the same. */
public final class RequestDigest {
    private RequestDigest() {}

    /** The same message has the same digest, in whatever order a client put its maps. */
    public static String of(Message message) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            CodedOutputStream output =
                    CodedOutputStream.newInstance(new DigestOutputStream(OutputStream.nullOutputStream(), digest));
            output.useDeterministicSerialization();
            message.writeTo(output);
            output.flush();
            return HexFormat.of().formatHex(digest.digest());
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }
}
