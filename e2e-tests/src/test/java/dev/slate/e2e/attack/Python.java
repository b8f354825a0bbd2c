package dev.slate.e2e.attack;

import dev.slate.sdk.ExecResult;
import dev.slate.sdk.Sandbox;

/** Attacks written in Python, run inside a sandbox. */
final class Python {
    private Python() {}

    /** Runs a script; {@code args} are its arguments. */
    static ExecResult run(Sandbox sandbox, String script, String... args) {
        String[] command = new String[args.length + 3];
        command[0] = "python3";
        command[1] = "-c";
        command[2] = script;
        System.arraycopy(args, 0, command, 3, args.length);
        return sandbox.exec(command);
    }

    /** Prints "connected", or the error, of a TCP connection to argument 1, port argument 2; a reset after data counts as refused. */
    static final String CONNECT = """
            import socket, sys
            try:
                s = socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=5)
                s.settimeout(5)
                s.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
                data = s.recv(200)
                print("answered", data[:60] if data else "nothing")
            except Exception as error:
                print("refused", error)
            """;

    /** Sends a request with the value of a variable (argument 2) as bearer key to argument 1; prints status, headers and body. */
    static final String WITH_KEY = """
            import os, ssl, sys, urllib.request
            request = urllib.request.Request(sys.argv[1], headers={"Authorization": "Bearer " + os.environ[sys.argv[2]]})
            try:
                answer = urllib.request.urlopen(request, timeout=15, context=ssl.create_default_context())
                print(answer.status, answer.headers, answer.read().decode())
            except Exception as error:
                print("refused", error)
            """;
}
