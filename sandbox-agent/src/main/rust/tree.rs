//! All processes of one exec, found by session, by parent and by a variable that descendants inherit.
//!
//! The variable finds what the other two lose: a descendant that has left the session and whose parent has ended.

use crate::sys::{self, SIGKILL, SIGTERM};
use std::collections::HashSet;
use std::fs;
use std::time::{Duration, Instant};

/// A process that survives SIGKILL for longer hangs in the kernel; nobody should wait for it.
const KILL_PATIENCE: Duration = Duration::from_secs(3);

pub const MARKER: &str = "SLATE_EXEC_ID";

pub struct Tree {
    pub root: i32,
    pub marker: Vec<u8>,
}

struct Process {
    pid: i32,
    parent: i32,
    session: i32,
    zombie: bool,
}

impl Tree {
    pub fn of(root: i32, exec_id: &str) -> Tree {
        Tree { root, marker: format!("{MARKER}={exec_id}").into_bytes() }
    }

    /// The living processes of the exec. `root_collected` says that the pid of the main process may have a new owner.
    pub fn members(&self, root_collected: bool) -> Vec<i32> {
        let processes = processes();
        let reused = root_collected && processes.iter().any(|process| process.pid == self.root);
        let mut found = HashSet::new();
        for process in &processes {
            let by_session = !reused && (process.pid == self.root || process.session == self.root);
            if by_session || self.is_marked(process.pid) {
                found.insert(process.pid);
            }
        }
        loop {
            let before = found.len();
            found.extend(
                processes.iter().filter(|process| found.contains(&process.parent)).map(|it| it.pid).collect::<Vec<_>>(),
            );
            if found.len() == before {
                break;
            }
        }
        let own = std::process::id() as i32;
        let living = processes.iter().filter(|process| !process.zombie && process.pid != own && process.pid != 1);
        living.map(|process| process.pid).filter(|pid| found.contains(pid)).collect()
    }

    fn is_marked(&self, pid: i32) -> bool {
        fs::read(format!("/proc/{pid}/environ"))
            .map_or(false, |environment| environment.split(|byte| *byte == 0).any(|entry| entry == self.marker))
    }

    /// Signals every member; returns how many there were.
    pub fn signal(&self, signal: i32, root_collected: bool) -> usize {
        let members = self.members(root_collected);
        for pid in &members {
            // It may have ended since: that is what the signal is for.
            let _ = sys::kill(*pid, signal);
        }
        members.len()
    }
}

/// The end of a tree in progress: TERM was sent, KILL follows after the grace.
pub struct Ending {
    kill_at: Instant,
}

impl Ending {
    pub const LOOK_EVERY: Duration = Duration::from_millis(20);

    pub fn begin(tree: &Tree, grace: Duration, root_collected: bool) -> Ending {
        if !grace.is_zero() {
            tree.signal(SIGTERM, root_collected);
        }
        Ending { kill_at: Instant::now() + grace }
    }

    /// Looks at the tree once, killing it if its grace has passed.
    pub fn is_over(&mut self, tree: &Tree, root_collected: bool) -> bool {
        let now = Instant::now();
        let left =
            if now >= self.kill_at { tree.signal(SIGKILL, root_collected) } else { tree.members(root_collected).len() };
        left == 0 || now >= self.kill_at + KILL_PATIENCE
    }
}

fn processes() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter_map(|pid| parse_stat(pid, &fs::read(format!("/proc/{pid}/stat")).ok()?)).collect()
}

fn parse_stat(pid: i32, stat: &[u8]) -> Option<Process> {
    // The command name, in brackets, may contain anything.
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let fields = std::str::from_utf8(&stat[end + 1..]).ok()?;
    let mut fields = fields.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let session = fields.nth(1)?.parse().ok()?;
    Some(Process { pid, parent, session, zombie: matches!(state, "Z" | "X") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_stat_line_whatever_the_command_is_called() {
        let process = parse_stat(7, b"7 (a) b ) S 3 4 5 0 -1").unwrap();

        assert_eq!((process.parent, process.session, process.zombie), (3, 5, false));
        assert!(parse_stat(7, b"7 (x) Z 1 1 1").unwrap().zombie);
        assert!(parse_stat(7, b"garbage").is_none());
    }
}
