"""Runs a command on a terminal of its own and types: terminal.py (session|killed) COMMAND..."""
import fcntl, os, pty, re, select, signal, struct, sys, termios, time

WRAPPER = """
before=$(stty -g); "$@"; code=$?
[ "$(stty -g)" = "$before" ] && echo "terminal" "restored"
echo "code"="$code"
"""


def resize(rows, columns):
    fcntl.ioctl(near, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def see(pattern, seconds=60):
    global shown
    end = time.time() + seconds
    while not re.search(pattern, shown):
        if time.time() > end:
            sys.exit(f"not seen: {pattern}\n{shown!r}")
        if select.select([near], [], [], 0.1)[0]:
            try:
                piece = os.read(near, 65536).decode(errors="replace")
            except OSError:
                sys.exit(f"ended before: {pattern}\n{shown!r}")
            shown += piece
            sys.stdout.write(piece)
    shown = re.split(pattern, shown, maxsplit=1)[-1]


def send(text):
    os.write(near, text.encode())


sys.stdout.reconfigure(newline="")
shown = ""
mode, command = sys.argv[1], sys.argv[2:]
pid, near = pty.fork()
if pid == 0:
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    time.sleep(0.3)
    os.execvp("sh", ["sh", "-c", WRAPPER, "sh"] + command)
resize(30, 100)
see(r"bash-[\d.]+# ")
if mode == "killed":
    children = open(f"/proc/{pid}/task/{pid}/children").read().split()
    os.kill(int(children[0]), signal.SIGTERM)
else:
    send("stty size\n")
    see("30 100")
    resize(40, 120)
    time.sleep(1)
    send("stty size\n")
    see("40 120")
    send("echo go; sleep 600\n")
    see("\rgo")
    time.sleep(0.5)
    send("\x03")
    see(r"bash-[\d.]+# ")
    send("echo interrupted $?\n")
    see("interrupted 130")
    send("exit 7\n")
see(r"code=\d+\r\n")
sys.stdout.flush()
os.waitpid(pid, 0)
