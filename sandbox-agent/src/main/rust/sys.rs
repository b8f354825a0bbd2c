//! The few C library calls that the standard library does not offer, each behind a safe function.

pub mod at;

use std::ffi::{c_char, c_void};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

pub const SIGHUP: i32 = 1;
pub const SIGINT: i32 = 2;
pub const SIGKILL: i32 = 9;
pub const SIGPIPE: i32 = 13;
pub const SIGTERM: i32 = 15;
pub const SIGCHLD: i32 = 17;
pub const SIGWINCH: i32 = 28;

pub const ENOENT: i32 = 2;
pub const EACCES: i32 = 13;
pub const ENOTDIR: i32 = 20;
pub const EINVAL: i32 = 22;

pub const O_NOCTTY: i32 = 0o400;
pub const O_NONBLOCK: i32 = 0o4000;
pub const O_CLOEXEC: i32 = 0o2000000;

const F_SETFL: i32 = 4;
const F_SETPIPE_SZ: i32 = 1031;
const SIG_BLOCK: i32 = 0;
pub const SIG_SETMASK: i32 = 2;
const WNOHANG: i32 = 1;
const PR_SET_CHILD_SUBREAPER: i32 = 36;
const M_ARENA_MAX: i32 = -8;
const M_TRIM_THRESHOLD: i32 = -1;

const TCGETS: u64 = 0x5401;
pub const TIOCSCTTY: u64 = 0x540E;
#[cfg(test)]
const TIOCGWINSZ: u64 = 0x5413;
const TIOCSWINSZ: u64 = 0x5414;
const TIOCGPTN: u64 = 0x8004_5430;
const TIOCSPTLCK: u64 = 0x4004_5431;
const VEOF: usize = 4;

pub const POLLIN: i16 = 1;
pub const POLLOUT: i16 = 4;

#[repr(C)]
pub struct PollFd {
    fd: i32,
    events: i16,
    pub revents: i16,
}

impl PollFd {
    pub fn new(file: &impl AsRawFd, events: i16) -> PollFd {
        PollFd { fd: file.as_raw_fd(), events, revents: 0 }
    }

    /// An entry that the kernel skips, for a stream that has already ended.
    pub fn ignored() -> PollFd {
        PollFd { fd: -1, events: 0, revents: 0 }
    }
}

/// The kernel's `struct winsize`.
#[repr(C)]
#[derive(Default)]
struct WindowSize {
    rows: u16,
    columns: u16,
    pixels: [u16; 2],
}

/// The kernel's `struct termios`, with room to spare.
#[repr(C)]
#[derive(Default)]
struct Termios {
    flags: [u32; 4],
    line: u8,
    characters: [u8; 31],
}

/// Same layout as glibc's `sigset_t` (1024 bits).
#[repr(C)]
pub struct SignalSet([u64; 16]);

impl SignalSet {
    pub const EMPTY: SignalSet = SignalSet([0; 16]);

    pub fn of(signals: &[i32]) -> SignalSet {
        let mut set = SignalSet([0; 16]);
        for signal in signals {
            set.0[0] |= 1 << (signal - 1);
        }
        set
    }
}

extern "C" {
    fn pipe2(fds: *mut i32, flags: i32) -> i32;
    fn eventfd(initial: u32, flags: i32) -> i32;
    fn poll(fds: *mut PollFd, count: u64, timeout: i32) -> i32;
    fn fcntl(fd: i32, command: i32, ...) -> i32;
    #[link_name = "kill"]
    fn c_kill(pid: i32, signal: i32) -> i32;
    fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
    fn prctl(option: i32, ...) -> i32;
    fn sigwait(set: *const SignalSet, signal: *mut i32) -> i32;
    fn umask(mode: u32) -> u32;
    fn mallopt(parameter: i32, value: i32) -> i32;
    fn malloc_trim(pad: usize) -> i32;

    // Used by spawn.rs inside the child, where only such raw calls are allowed.
    pub fn clone(
        entry: extern "C" fn(*mut c_void) -> i32,
        stack: *mut c_void,
        flags: i32,
        arg: *mut c_void,
        ...
    ) -> i32;
    pub fn pthread_sigmask(how: i32, set: *const SignalSet, old: *mut SignalSet) -> i32;
    pub fn signal(signal: i32, handler: usize) -> usize;
    pub fn setsid() -> i32;
    pub fn ioctl(fd: i32, request: u64, ...) -> i32;
    pub fn dup2(from: i32, to: i32) -> i32;
    pub fn chdir(path: *const c_char) -> i32;
    pub fn execve(path: *const c_char, argv: *const *const c_char, env: *const *const c_char) -> i32;
    pub fn _exit(code: i32) -> !;
    pub fn syscall(number: i64, ...) -> i64;
    pub fn __errno_location() -> *mut i32;
}

fn check(result: i32) -> io::Result<i32> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

/// A pipe as (read end, write end), both closed on exec.
pub fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut fds = [-1; 2];
    check(unsafe { pipe2(fds.as_mut_ptr(), O_CLOEXEC) })?;
    Ok(unsafe { (OwnedFd::from_raw_fd(fds[0]), OwnedFd::from_raw_fd(fds[1])) })
}

/// Lets a pipe hold more, so that its writer waits less often. Where that is not allowed it stays as it is.
pub fn widen_pipe(pipe: &impl AsRawFd, bytes: i32) {
    unsafe { fcntl(pipe.as_raw_fd(), F_SETPIPE_SZ, bytes) };
}

/// A counter that makes a poll return: write 8 bytes to wake, read 8 bytes to reset.
pub fn event() -> io::Result<File> {
    let fd = check(unsafe { eventfd(0, O_CLOEXEC | O_NONBLOCK) })?;
    Ok(unsafe { File::from_raw_fd(fd) })
}

pub fn set_nonblocking(file: &impl AsRawFd) -> io::Result<()> {
    check(unsafe { fcntl(file.as_raw_fd(), F_SETFL, O_NONBLOCK) }).map(|_| ())
}

/// Makes the far end of a new terminal usable; returns its number below /dev/pts.
pub fn unlock_terminal(near: &File) -> io::Result<u32> {
    let (locked, mut number) = (0i32, 0u32);
    check(unsafe { ioctl(near.as_raw_fd(), TIOCSPTLCK, &locked as *const i32) })?;
    check(unsafe { ioctl(near.as_raw_fd(), TIOCGPTN, &mut number as *mut u32) })?;
    Ok(number)
}

pub fn resize_terminal(terminal: &File, columns: u16, rows: u16) -> io::Result<()> {
    let size = WindowSize { rows, columns, pixels: [0; 2] };
    check(unsafe { ioctl(terminal.as_raw_fd(), TIOCSWINSZ, &size as *const WindowSize) }).map(|_| ())
}

/// (columns, rows).
#[cfg(test)]
pub fn terminal_size(terminal: &File) -> io::Result<(u16, u16)> {
    let mut size = WindowSize::default();
    check(unsafe { ioctl(terminal.as_raw_fd(), TIOCGWINSZ, &mut size as *mut WindowSize) })?;
    Ok((size.columns, size.rows))
}

pub fn terminal_end_character(terminal: &File) -> io::Result<u8> {
    let mut termios = Termios::default();
    check(unsafe { ioctl(terminal.as_raw_fd(), TCGETS, &mut termios as *mut Termios) })?;
    Ok(termios.characters[VEOF])
}

/// Waits until an entry is ready or the time (None: no limit) is over; an interrupted wait counts as over.
pub fn wait_ready(entries: &mut [PollFd], limit: Option<std::time::Duration>) {
    // Rounded up, or a wait of less than a millisecond would become a busy loop.
    let millis = limit.map_or(-1, |time| ((time.as_micros() + 999) / 1000).min(i32::MAX as u128) as i32);
    let ready = unsafe { poll(entries.as_mut_ptr(), entries.len() as u64, millis) };
    if ready <= 0 {
        for entry in entries {
            entry.revents = 0;
        }
    }
}

pub fn kill(pid: i32, signal: i32) -> io::Result<()> {
    check(unsafe { c_kill(pid, signal) }).map(|_| ())
}

/// Reaps one child that has ended, if there is one: (pid, raw wait status).
pub fn reap() -> Option<(i32, i32)> {
    let mut status = 0;
    let pid = unsafe { waitpid(-1, &mut status, WNOHANG) };
    (pid > 0).then_some((pid, status))
}

/// Orphans below this process become its children, as they do for PID 1. Fails harmlessly where unknown.
pub fn become_subreaper() {
    unsafe { prctl(PR_SET_CHILD_SUBREAPER, 1usize, 0usize, 0usize, 0usize) };
}

/// Blocks the signals in this thread and every thread it starts later.
pub fn block(set: &SignalSet) {
    unsafe { pthread_sigmask(SIG_BLOCK, set, std::ptr::null_mut()) };
}

pub fn next_signal(set: &SignalSet) -> i32 {
    let mut signal = 0;
    unsafe { sigwait(set, &mut signal) };
    signal
}

pub fn set_umask(mode: u32) {
    unsafe { umask(mode) };
}

/// glibc would otherwise reserve an arena for every thread, which a small sandbox pays for.
pub fn limit_malloc_arenas() {
    unsafe { mallopt(M_ARENA_MAX, 1) };
}

/// Free memory at the end of the heap is given back above this size only.
pub fn keep_free_memory(bytes: i32) {
    unsafe { mallopt(M_TRIM_THRESHOLD, bytes) };
}

/// Whoever started this program may have had signals ignored, which its commands would inherit.
pub fn use_default_signals() {
    for number in 1..=31 {
        if number != SIGPIPE {
            unsafe { signal(number, 0) };
        }
    }
}

pub fn release_free_memory() {
    unsafe { malloc_trim(0) };
}

pub fn errno() -> i32 {
    unsafe { *__errno_location() }
}
