package dev.slate.e2e.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.slate.e2e.stack.OnPlatform;
import dev.slate.e2e.stack.Outside;
import dev.slate.e2e.stack.Platform;
import dev.slate.sdk.NetworkPolicy;
import dev.slate.sdk.Sandbox;
import dev.slate.sdk.SecretValue;
import dev.slate.sdk.Slate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** HTTP/2 with gRPC to a host with a credential, and the proxy by name, from inside a sandbox. */
@OnPlatform
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProtocolsE2E {
    private static final String KEY = "E2E_PROTOCOLS_KEY";
    private static final String GRPC_KEY = "E2E_GRPC_KEY";
    private static final String REAL = "real-value-protocols-5d20";

    /** Two messages on one call of gRPC, the second only after the first was answered; prints what came. */
    private static final String GRPC = """
            import os, socket, ssl, struct, sys
            host, authority, key = sys.argv[1], sys.argv[2], os.environ[sys.argv[3]]
            context = ssl.create_default_context()
            context.set_alpn_protocols(["h2", "http/1.1"])
            tls = context.wrap_socket(socket.create_connection((host, 443), timeout=15), server_hostname=host)
            print(tls.selected_alpn_protocol())
            def frame(kind, flags, payload, stream=1):
                return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload
            def literal(name, value):
                return b"\\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()
            def message(text):
                return b"\\0" + struct.pack(">I", len(text)) + text.encode()
            def read():
                head = b""
                while len(head) < 9: head += tls.recv(9 - len(head)) or sys.exit("closed")
                length, body = int.from_bytes(head[:3], "big"), b""
                while len(body) < length: body += tls.recv(length - len(body)) or sys.exit("closed")
                if head[3] == 4 and not head[4] & 1: tls.sendall(frame(4, 1, b"", 0))
                return head[3], head[4], body
            head = (b"\\x83\\x87" + literal(":path", "/echo/Bidi") + literal(":authority", authority)
                + literal("content-type", "application/grpc") + literal("te", "trailers")
                + literal("authorization", "Bearer " + key))
            tls.sendall(b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n" + frame(4, 0, b"", 0) + frame(1, 4, head)
                + frame(0, 0, message("first")))
            sent = False
            while True:
                kind, flags, body = read()
                if kind == 0 and body: print(body[5:].decode("latin-1") if len(body) > 5 else body)
                if kind == 0 and body and not sent:
                    sent = True
                    tls.sendall(frame(0, 1, message("second")))
                if kind == 3: print("reset", int.from_bytes(body, "big")); break
                if kind in (0, 1) and flags & 1: print("end in headers" if kind == 1 else "end in data"); break
            """;

    /** Asks for argument 1 through the proxy by name and prints what came. */
    private static final String BY_NAME = """
            import os, sys, urllib.request
            proxies = {scheme: "http://api.slate.internal:3128" for scheme in ("http", "https")}
            opener = urllib.request.build_opener(urllib.request.ProxyHandler(proxies))
            request = urllib.request.Request(sys.argv[1], headers={"Authorization": "Bearer " + os.environ[sys.argv[2]]})
            try:
                print("answered", opener.open(request, timeout=15).read().decode())
            except Exception as error:
                print("refused", error, error.read().decode() if hasattr(error, "read") else "")
            """;

    private Platform platform;
    private Slate slate;
    private Sandbox sandbox;

    @BeforeAll
    void start(Platform givenPlatform, Slate givenSlate) {
        platform = givenPlatform;
        slate = givenSlate;
        slate.secrets().set(KEY, SecretValue.of(REAL));
        slate.secrets().set(GRPC_KEY, SecretValue.of(REAL));
        sandbox = slate.sandbox()
                .image(Platform.PYTHON)
                .network(NetworkPolicy.allowedHosts(Outside.BOUND, Outside.GRPC, Outside.OTHER))
                .credential(Outside.BOUND, KEY)
                .credential(Outside.GRPC, GRPC_KEY)
                .run();
    }

    @AfterAll
    void end() {
        sandbox.close();
        slate.secrets().delete(KEY);
        slate.secrets().delete(GRPC_KEY);
    }

    @Test
    void f70_grpcPassesInBothDirectionsAtOnceWithTheRealKey() {
        String printed = Python.run(sandbox, GRPC, Outside.GRPC, Outside.GRPC, GRPC_KEY)
                .orThrow()
                .stdout();

        assertThat(printed.lines()).hasSize(4);
        assertThat(printed.lines().toList().getFirst()).isEqualTo("h2");
        assertThat(printed).contains(" first\n").contains(" second\n").contains("end in headers");
        assertThat(printed).doesNotContain(REAL);
        assertThat(platform.outside().grpcAuthorizations()).contains("Bearer " + REAL);
    }

    @Test
    void c34_aStreamForAnotherHostIsRefused() {
        int before = platform.outside().grpcAuthorizations().size();

        String printed = Python.run(sandbox, GRPC, Outside.GRPC, Outside.OTHER, GRPC_KEY)
                .orThrow()
                .stdout();

        assertThat(printed).startsWith("h2").contains("wrong_host");
        assertThat(platform.outside().grpcAuthorizations()).hasSize(before);
    }

    @Test
    void e56_theProxyByNameDecidesTheSame() {
        String allowed = Python.run(sandbox, BY_NAME, "https://" + Outside.BOUND + "/echo/named", KEY)
                .stdout();
        String denied = Python.run(sandbox, BY_NAME, "https://" + Outside.UNLISTED + "/", KEY)
                .stdout();
        String plain = Python.run(sandbox, BY_NAME, "http://" + Outside.OTHER + "/plain-by-name", KEY)
                .stdout();
        String metadata = Python.run(sandbox, BY_NAME, "http://169.254.169.254/latest/", KEY)
                .stdout();

        assertThat(allowed).startsWith("answered").contains("__slate-secret-").doesNotContain(REAL);
        assertThat(platform.outside().requestsFor(Outside.BOUND))
                .anyMatch(request ->
                        request.target().equals("/echo/named") && request.text().contains(REAL));
        assertThat(denied).startsWith("refused").contains("403").contains("retrying another way will not help");
        assertThat(plain).startsWith("answered ok");
        assertThat(metadata).startsWith("refused").contains("host_not_allowed");
    }
}
