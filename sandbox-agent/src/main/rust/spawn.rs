//! Starts a process with its own session, user and folder.
//!
//! `std::process::Command` forks as soon as a session or user is wanted, which copies the page tables of the agent
//! and is slow under gVisor. Here the child borrows the agent's memory until it executes (CLONE_VM | CLONE_VFORK, as
//! posix_spawn does), so nothing between clone and execve may allocate, lock or panic.

use crate::sys::{self, EACCES, EINVAL, ENOENT, ENOTDIR};
use crate::users::Identity;
use crate::workers::with_scratch;
use std::ffi::{c_char, c_void, CString};
use std::os::fd::{AsRawFd, OwnedFd};

const CLONE_VM: i32 = 0x100;
const CLONE_VFORK: i32 = 0x4000;
const CHILD_STACK: usize = 64 * 1024;
const DEFAULT_PATH: &[u8] = b"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

#[cfg(target_arch = "x86_64")]
mod number {
    pub const SETUID: i64 = 105;
    pub const SETGID: i64 = 106;
    pub const SETGROUPS: i64 = 116;
}
#[cfg(target_arch = "aarch64")]
mod number {
    pub const SETUID: i64 = 146;
    pub const SETGID: i64 = 144;
    pub const SETGROUPS: i64 = 159;
}

pub struct Plan<'a> {
    pub argv: &'a [Vec<u8>],
    /// `NAME=value` each.
    pub env: &'a [Vec<u8>],
    pub workdir: &'a [u8],
    /// None: stay what the agent is.
    pub identity: Option<&'a Identity>,
    pub stdin: &'a OwnedFd,
    pub stdout: &'a OwnedFd,
    pub stderr: &'a OwnedFd,
    /// Whether the standard streams are a terminal, which becomes the controlling one.
    pub terminal: bool,
}

#[derive(Debug, PartialEq)]
pub struct StartFailure {
    /// As a shell would say: 127 for a command that does not exist, otherwise 126.
    pub exit_code: u8,
    pub errno: i32,
    pub message: String,
}

impl StartFailure {
    pub fn new(errno: i32, message: impl Into<String>) -> StartFailure {
        StartFailure { exit_code: 126, errno, message: message.into() }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Streams,
    User,
    Workdir,
    Execute,
}

/// What the child sees: plain pointers and numbers only.
struct Child {
    streams: [i32; 3],
    terminal: bool,
    identity: Option<(u32, u32)>,
    groups: *const u32,
    group_count: usize,
    workdir: *const c_char,
    candidates: *const *const c_char,
    argv: *const *const c_char,
    env: *const *const c_char,
    stage: Stage,
    errno: i32,
}

/// Returns the pid; the caller must hold the reaper off until it has noted it.
pub fn spawn(plan: &Plan) -> Result<i32, StartFailure> {
    let path = plan.env.iter().find_map(|entry| entry.strip_prefix(b"PATH=")).unwrap_or(DEFAULT_PATH);
    let argv = c_strings(plan.argv)?;
    let env = c_strings(plan.env)?;
    let candidates = c_strings(&candidates(&plan.argv[0], path))?;
    let workdir = c_strings(&[plan.workdir.to_vec()])?;
    let groups = plan.identity.map_or(&[][..], |identity| &identity.groups);
    let (argv_pointers, env_pointers, candidate_pointers) = (pointers(&argv), pointers(&env), pointers(&candidates));
    let mut child = Child {
        streams: [plan.stdin.as_raw_fd(), plan.stdout.as_raw_fd(), plan.stderr.as_raw_fd()],
        terminal: plan.terminal,
        identity: plan.identity.map(|identity| (identity.uid, identity.gid)),
        groups: groups.as_ptr(),
        group_count: groups.len(),
        workdir: if plan.workdir.is_empty() { std::ptr::null() } else { workdir[0].as_ptr() },
        candidates: candidate_pointers.as_ptr(),
        argv: argv_pointers.as_ptr(),
        env: env_pointers.as_ptr(),
        stage: Stage::Execute,
        errno: 0,
    };
    let shared: *mut Child = &mut child;
    // Safety: the parent thread is suspended until the child has executed or ended, so stack and Child outlive it.
    let pid = with_scratch(CHILD_STACK, |stack| unsafe {
        let end = stack.as_mut_ptr().add(stack.len());
        let top = end.sub(end as usize % 16);
        sys::clone(run_child, top.cast(), CLONE_VM | CLONE_VFORK | sys::SIGCHLD, shared.cast())
    });
    if pid < 0 {
        return Err(StartFailure::new(sys::errno(), "cannot create a process"));
    }
    // Volatile, because the compiler does not know that the child wrote them.
    let (stage, errno) = unsafe {
        (std::ptr::addr_of!((*shared).stage).read_volatile(), std::ptr::addr_of!((*shared).errno).read_volatile())
    };
    if errno == 0 {
        return Ok(pid);
    }
    let exit_code = if (stage, errno) == (Stage::Execute, ENOENT) { 127 } else { 126 };
    Err(StartFailure { exit_code, errno, message: describe(stage, errno, plan) })
}

extern "C" fn run_child(argument: *mut c_void) -> i32 {
    unsafe {
        let child = &mut *argument.cast::<Child>();
        sys::setsid();
        // Rust programs ignore SIGPIPE and this one blocks the signals of its reaper: neither may be inherited.
        sys::signal(sys::SIGPIPE, 0);
        sys::pthread_sigmask(sys::SIG_SETMASK, &sys::SignalSet::EMPTY, std::ptr::null_mut());
        for target in 0..3 {
            if sys::dup2(child.streams[target], target as i32) < 0 {
                return give_up(child, Stage::Streams);
            }
        }
        if child.terminal && sys::ioctl(0, sys::TIOCSCTTY, 0usize) < 0 {
            return give_up(child, Stage::Streams);
        }
        // The C functions would change every thread of the agent; the system calls change this process only.
        if let Some((uid, gid)) = child.identity {
            if sys::syscall(number::SETGROUPS, child.group_count, child.groups) < 0
                || sys::syscall(number::SETGID, gid as usize) < 0
                || sys::syscall(number::SETUID, uid as usize) < 0
            {
                return give_up(child, Stage::User);
            }
        }
        if !child.workdir.is_null() && sys::chdir(child.workdir) < 0 {
            return give_up(child, Stage::Workdir);
        }
        let mut denied = false;
        let mut candidate = child.candidates;
        while !(*candidate).is_null() {
            sys::execve(*candidate, child.argv, child.env);
            match sys::errno() {
                ENOENT | ENOTDIR => {}
                EACCES => denied = true,
                _ => return give_up(child, Stage::Execute),
            }
            candidate = candidate.add(1);
        }
        *sys::__errno_location() = if denied { EACCES } else { ENOENT };
        give_up(child, Stage::Execute)
    }
}

unsafe fn give_up(child: *mut Child, stage: Stage) -> i32 {
    std::ptr::addr_of_mut!((*child).stage).write_volatile(stage);
    std::ptr::addr_of_mut!((*child).errno).write_volatile(sys::errno());
    sys::_exit(127)
}

fn describe(stage: Stage, errno: i32, plan: &Plan) -> String {
    let command = String::from_utf8_lossy(&plan.argv[0]);
    match (stage, errno) {
        (Stage::Streams, _) => "cannot connect the standard streams".into(),
        (Stage::User, _) => "cannot switch to the user".into(),
        (Stage::Workdir, _) => format!("cannot enter the working directory: {}", String::from_utf8_lossy(plan.workdir)),
        (Stage::Execute, ENOENT) => format!("command not found: {command}"),
        (Stage::Execute, EACCES) => format!("command is not executable: {command}"),
        (Stage::Execute, _) => format!("cannot execute: {command}"),
    }
}

/// The files to try, in order: the command itself if it names a path, otherwise one per folder of PATH.
fn candidates(command: &[u8], path: &[u8]) -> Vec<Vec<u8>> {
    if command.is_empty() {
        return Vec::new();
    }
    if command.contains(&b'/') {
        return vec![command.to_vec()];
    }
    let folders = path.split(|byte| *byte == b':').map(|folder| if folder.is_empty() { b"." } else { folder });
    folders.map(|folder| [folder, b"/", command].concat()).collect()
}

fn c_strings(values: &[Vec<u8>]) -> Result<Vec<CString>, StartFailure> {
    let convert = |value: &Vec<u8>| {
        CString::new(value.as_slice()).map_err(|_| StartFailure::new(EINVAL, "argument contains a zero byte"))
    };
    values.iter().map(convert).collect()
}

fn pointers(values: &[CString]) -> Vec<*const c_char> {
    values.iter().map(|value| value.as_ptr()).chain([std::ptr::null()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_the_path_only_for_plain_names() {
        assert_eq!(candidates(b"/bin/ls", b"/usr/bin"), [b"/bin/ls".to_vec()]);
        assert_eq!(candidates(b"ls", b"/a:/b"), [b"/a/ls".to_vec(), b"/b/ls".to_vec()]);
        assert!(candidates(b"", b"/a").is_empty());
    }

    #[test]
    fn reports_what_failed_with_its_errno() {
        let null: OwnedFd = std::fs::File::open("/dev/null").unwrap().into();
        let failure = |command: &str, workdir: &str| {
            let argv = [command.as_bytes().to_vec()];
            let plan = Plan {
                argv: &argv,
                env: &[],
                workdir: workdir.as_bytes(),
                identity: None,
                stdin: &null,
                stdout: &null,
                stderr: &null,
                terminal: false,
            };
            spawn(&plan).unwrap_err()
        };

        let outcome = |command| (failure(command, "").exit_code, failure(command, "").errno);
        assert_eq!(outcome("no-such-command"), (127, ENOENT));
        assert_eq!(outcome("/etc/passwd"), (126, EACCES));
        assert!(failure("true", "/no/such/folder").message.contains("working directory"));
    }
}
