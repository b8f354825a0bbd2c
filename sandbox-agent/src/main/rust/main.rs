//! slate-agent: PID 1 of every sandbox. It runs commands, keeps their output and moves files, for the control plane
//! only, over the protocol of PROTOCOL.md.

mod exec;
mod files;
mod log;
mod reaper;
mod server;
mod spawn;
mod sys;
mod table;
mod tar;
mod terminal;
mod tree;
mod users;
mod watch;
mod wire;
mod workers;

use server::Agent;
use std::io::Write;
use std::net::TcpListener;
use std::process::exit;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use sys::{SignalSet, SIGCHLD, SIGHUP, SIGINT, SIGKILL, SIGTERM};

const USAGE: &str = "usage: slate-agent --port N --token-file PATH [--listen ADDRESS]";
const MIN_TOKEN: usize = 32;
/// What a command has needed the next one may use; fresh pages are slow.
const FREE_MEMORY_KEPT: i32 = 16 << 20;
const STOP_GRACE: Duration = Duration::from_secs(2);

struct Arguments {
    port: u16,
    token_file: String,
    listen: String,
}

fn main() {
    let begun = Instant::now();
    let arguments = parse(std::env::args().skip(1)).unwrap_or_else(|message| fail(&format!("{message}\n{USAGE}")));
    let token = read_token(&arguments.token_file).unwrap_or_else(|message| fail(&message));
    sys::use_default_signals();
    sys::limit_malloc_arenas();
    sys::keep_free_memory(FREE_MEMORY_KEPT);
    sys::set_umask(0o022);
    sys::become_subreaper();
    // Before the first thread starts, so that all of them inherit it and only this one receives the signals.
    let signals = SignalSet::of(&[SIGCHLD, SIGTERM, SIGINT, SIGHUP]);
    sys::block(&signals);

    let listener = TcpListener::bind((arguments.listen.as_str(), arguments.port))
        .unwrap_or_else(|error| fail(&format!("cannot listen on {}:{}: {error}", arguments.listen, arguments.port)));
    if let Ok(address) = listener.local_addr() {
        // Unlike println!, this cannot panic when nobody reads it.
        let _ = writeln!(std::io::stdout(), "slate-agent {} listens on {address}", env!("CARGO_PKG_VERSION"));
    }
    let agent = Arc::new(Agent { token, begun, children: Arc::default(), execs: Arc::default() });
    let serving = Arc::clone(&agent);
    thread::spawn(move || server::serve(&serving, &listener));

    loop {
        match sys::next_signal(&signals) {
            SIGCHLD => agent.children.collect(),
            SIGTERM | SIGINT => stop(&agent),
            _ => {}
        }
    }
}

/// Ends all commands, then the sandbox.
fn stop(agent: &Agent) -> ! {
    let everyone = std::process::id() == 1;
    let signal = |signal: i32| {
        if everyone {
            let _ = sys::kill(-1, signal);
        } else {
            for exec in agent.children.running() {
                exec.tree().signal(signal, false);
            }
        }
    };
    let begin = Instant::now();
    signal(SIGTERM);
    while begin.elapsed() < STOP_GRACE && !agent.children.running().is_empty() {
        agent.children.collect();
        thread::sleep(Duration::from_millis(10));
    }
    signal(SIGKILL);
    exit(0)
}

fn read_token(path: &str) -> Result<Vec<u8>, String> {
    let mut token = std::fs::read(path).map_err(|error| format!("cannot read {path}: {error}"))?;
    while token.last().map_or(false, u8::is_ascii_whitespace) {
        token.pop();
    }
    if token.len() < MIN_TOKEN {
        return Err(format!("token in {path}: {} bytes (expected: at least {MIN_TOKEN})", token.len()));
    }
    Ok(token)
}

fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let (mut port, mut token_file, mut listen) = (None, None, "0.0.0.0".to_string());
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
        match name.as_str() {
            "--port" => port = Some(value.parse().map_err(|_| format!("port: {value} (expected: 0 to 65535)"))?),
            "--token-file" => token_file = Some(value),
            "--listen" => listen = value,
            _ => return Err(format!("unknown option: {name}")),
        }
    }
    let port = port.ok_or("--port is missing")?;
    let token_file = token_file.ok_or("--token-file is missing")?;
    Ok(Arguments { port, token_file, listen })
}

fn fail(message: &str) -> ! {
    eprintln!("slate-agent: {message}");
    exit(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Arguments, String> {
        parse(line.split_whitespace().map(String::from))
    }

    #[test]
    fn needs_port_and_token_file() {
        let arguments = parsed("--port 7 --token-file /t --listen 127.0.0.1").unwrap();

        assert_eq!((arguments.port, arguments.token_file.as_str(), arguments.listen.as_str()), (7, "/t", "127.0.0.1"));
        for wrong in ["", "--port 7", "--token-file /t", "--port x --token-file /t", "--port", "--what 1"] {
            assert!(parsed(wrong).is_err());
        }
    }

    #[test]
    fn short_token_is_refused() {
        assert!(read_token("/proc/self/comm").is_err());
        assert!(read_token("/no/such/file").is_err());
    }
}
