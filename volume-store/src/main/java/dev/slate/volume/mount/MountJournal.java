package dev.slate.volume.mount;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import dev.slate.common.error.PlatformException;
import dev.slate.tree.posix.Directory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * One folder for each mount: the record, written before each act, and the directories of the overlay. It is what a
 * process that starts after a crash knows. Callers hold the lock of the mount.
 */
final class MountJournal {
    private static final Pattern MOUNT_ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,63}");
    private static final ObjectMapper JSON =
            JsonMapper.builder().addModule(new Jdk8Module()).build();
    private static final String RECORD = "record.json";

    private final Path root;

    MountJournal(Path root) throws IOException {
        this.root = Files.createDirectories(root);
    }

    Path root() {
        return root;
    }

    Path upper(String mountId) {
        return folder(mountId).resolve("upper");
    }

    Path work(String mountId) {
        return folder(mountId).resolve("work");
    }

    Path merged(String mountId) {
        return folder(mountId).resolve("merged");
    }

    Optional<MountRecord> find(String mountId) throws IOException {
        try {
            return Optional.of(JSON.readValue(Files.readAllBytes(folder(mountId).resolve(RECORD)), MountRecord.class));
        } catch (NoSuchFileException _) {
            return Optional.empty();
        }
    }

    /** Durable when this returns. */
    void save(MountRecord record) throws IOException {
        Path folder = Files.createDirectories(folder(record.mountId()));
        Path unfinished = folder.resolve(RECORD + ".new");
        try (FileChannel file = FileChannel.open(
                unfinished,
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer bytes = ByteBuffer.wrap(JSON.writeValueAsBytes(record));
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
            file.force(true);
        }
        Files.move(unfinished, folder.resolve(RECORD), StandardCopyOption.ATOMIC_MOVE);
        for (Path changed : List.of(folder, root)) {
            try (FileChannel directory = FileChannel.open(changed, StandardOpenOption.READ)) {
                directory.force(true);
            }
        }
    }

    /** All records; a folder without one is of a mount that never began. */
    List<MountRecord> list() throws IOException {
        List<MountRecord> records = new ArrayList<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(root)) {
            for (Path folder : folders) {
                find(folder.getFileName().toString()).ifPresent(records::add);
            }
        }
        return records;
    }

    /** Forgets answers that nobody will ask for any more. */
    void forget(Duration age, Instant now) throws IOException {
        for (MountRecord record : list()) {
            FileTime written =
                    Files.getLastModifiedTime(folder(record.mountId()).resolve(RECORD));
            if (record.state() == MountRecord.State.DONE && written.toInstant().isBefore(now.minus(age))) {
                Directory.deleteTree(folder(record.mountId()));
            }
        }
    }

    private Path folder(String mountId) {
        if (!MOUNT_ID.matcher(mountId).matches()) {
            throw PlatformException.invalid("mount_id", mountId, "1 to 64 letters, digits, dashes");
        }
        return root.resolve(mountId);
    }
}
