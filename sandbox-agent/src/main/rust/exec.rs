//! One command: its process, its streams, its end.

use crate::log::{Body, EventLog, RING_BYTES, STALL};
use crate::reaper::Children;
use crate::spawn::{Plan, StartFailure};
use crate::sys::{self, PollFd, POLLIN, POLLOUT};
use crate::terminal::{self, Size};
use crate::tree::{Ending, Tree, MARKER};
use crate::users::{self, Identity};
use crate::wire::{Code, Refusal, CHUNK};
use crate::workers::{self, with_scratch};
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

const TIMEOUT_GRACE: Duration = Duration::from_secs(2);
/// How long output is awaited from descendants that still hold the pipes after the main process has ended.
const DRAIN: Duration = Duration::from_millis(50);
/// More than a pipe holds: what the main process wrote is read even if that takes longer than DRAIN.
const DRAIN_BYTES: usize = 2 << 20;
/// A pipe that holds more wakes both sides less often.
const PIPE_BYTES: i32 = 1 << 20;
/// Read at once; an event holds at most CHUNK.
const READ_BYTES: usize = 4 * CHUNK;
/// While output comes faster than this it is left to gather for as long, which halves the cost of a busy stream.
const BUSY: Duration = Duration::from_millis(1);
const BUSY_AFTER: u32 = 8;
const STDIN_LOOK: Duration = Duration::from_millis(500);

pub struct Request {
    pub argv: Vec<Vec<u8>>,
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    pub workdir: Vec<u8>,
    pub user: String,
    pub stdin: bool,
    pub terminal: Option<Size>,
    pub timeout: Option<Duration>,
}

pub struct Exec {
    pub id: String,
    pub command: Vec<u8>,
    pub created: Instant,
    pub log: Arc<EventLog>,
    pid: AtomicI32,
    /// Raw wait status of the main process once it has been collected.
    status: Mutex<Option<i32>>,
    /// Told when the main process has ended; belongs to the thread that follows the command.
    wake: Mutex<Option<Arc<File>>>,
    stdin: Mutex<Option<Arc<File>>>,
    /// The agent's end, until the command has ended.
    terminal: Mutex<Option<Arc<File>>>,
    stdin_turn: Mutex<()>,
}

impl Exec {
    pub fn new(id: String, command: Vec<u8>) -> Exec {
        Exec {
            id,
            command,
            created: Instant::now(),
            log: Arc::new(EventLog::new(RING_BYTES, STALL)),
            pid: AtomicI32::new(0),
            status: Mutex::new(None),
            wake: Mutex::new(None),
            stdin: Mutex::new(None),
            terminal: Mutex::new(None),
            stdin_turn: Mutex::new(()),
        }
    }

    /// 0 until the process exists.
    pub fn pid(&self) -> i32 {
        self.pid.load(Ordering::SeqCst)
    }

    pub fn main_started(&self, pid: i32) {
        self.pid.store(pid, Ordering::SeqCst);
    }

    pub fn main_ended(&self, status: i32) {
        *self.status.lock().unwrap() = Some(status);
        if let Some(wake) = &*self.wake.lock().unwrap() {
            let _ = (&**wake).write(&1u64.to_ne_bytes());
        }
    }

    pub fn status(&self) -> Option<i32> {
        *self.status.lock().unwrap()
    }

    pub fn tree(&self) -> Tree {
        Tree::of(self.pid(), &self.id)
    }

    /// Runs the command from start to terminal event; returns when nobody holds its pipes any more.
    pub fn run(self: &Arc<Self>, request: &Request, children: &Children, on_finished: impl FnOnce()) {
        let started = workers::wake_event()
            .map_err(|error| StartFailure::new(error.raw_os_error().unwrap_or(0), "cannot create an event"))
            .and_then(|wake| {
                *self.wake.lock().unwrap() = Some(Arc::clone(&wake));
                self.start(request, children).map(|streams| (streams, wake))
            });
        match started {
            Err(failure) => {
                let StartFailure { exit_code, errno, message } = failure;
                self.release();
                self.log.append(Body::Failed { exit_code, errno, message });
                on_finished();
            }
            Ok((mut streams, wake)) => {
                let terminal = with_scratch(READ_BYTES, |buffer| {
                    self.follow(&mut streams, &wake, request.timeout, children, buffer)
                });
                self.release();
                self.log.append(terminal);
                on_finished();
                if request.terminal.is_none() {
                    streams.discard();
                }
            }
        }
    }

    fn start(self: &Arc<Self>, request: &Request, children: &Children) -> Result<Streams, StartFailure> {
        let failure = |message: &'static str| {
            move |error: std::io::Error| StartFailure::new(error.raw_os_error().unwrap_or(0), message)
        };
        let identity = if request.user.is_empty() {
            None
        } else {
            Some(users::resolve(&request.user).map_err(|message| StartFailure::new(sys::EINVAL, message))?)
        };
        if let Some(size) = request.terminal {
            let owner = identity.as_ref().map(|identity| identity.uid);
            let (near, far) = terminal::open(size, owner).map_err(failure("cannot create a terminal"))?;
            return self.start_on_terminal(request, identity.as_ref(), near, &far, children);
        }
        let (out_read, out_write) = sys::pipe().map_err(failure("cannot create a pipe"))?;
        let (err_read, err_write) = sys::pipe().map_err(failure("cannot create a pipe"))?;
        sys::widen_pipe(&out_read, PIPE_BYTES);
        let stdin: OwnedFd = if request.stdin {
            let (read, write) = sys::pipe().map_err(failure("cannot create a pipe"))?;
            sys::set_nonblocking(&write).map_err(failure("cannot prepare the pipe"))?;
            *self.stdin.lock().unwrap() = Some(Arc::new(File::from(write)));
            read
        } else {
            File::open("/dev/null").map_err(failure("cannot open /dev/null"))?.into()
        };
        let env = environment(request, identity.as_ref(), &self.id);
        let plan = Plan {
            argv: &request.argv,
            env: &env,
            workdir: &request.workdir,
            identity: identity.as_ref(),
            stdin: &stdin,
            stdout: &out_write,
            stderr: &err_write,
            terminal: false,
        };
        let pid = children.start(&plan, self)?;
        self.log.append(Body::Started { pid });
        Ok(Streams { stdout: Some(out_read.into()), stderr: Some(err_read.into()) })
    }

    /// All output of a terminal is standard output.
    fn start_on_terminal(
        self: &Arc<Self>,
        request: &Request,
        identity: Option<&Identity>,
        near: File,
        far: &OwnedFd,
        children: &Children,
    ) -> Result<Streams, StartFailure> {
        let output = near
            .try_clone()
            .map_err(|error| StartFailure::new(error.raw_os_error().unwrap_or(0), "cannot create a terminal"))?;
        let near = Arc::new(near);
        let env = environment(request, identity, &self.id);
        let (argv, workdir) = (&request.argv[..], &request.workdir[..]);
        let plan = Plan { argv, env: &env, workdir, identity, stdin: far, stdout: far, stderr: far, terminal: true };
        let pid = children.start(&plan, self)?;
        if request.stdin {
            *self.stdin.lock().unwrap() = Some(Arc::clone(&near));
        } else {
            let _ = (&*near).write(&[terminal::end_of_input(&near)]);
        }
        *self.terminal.lock().unwrap() = Some(near);
        self.log.append(Body::Started { pid });
        Ok(Streams { stdout: Some(output), stderr: None })
    }

    fn follow(
        &self,
        streams: &mut Streams,
        wake: &File,
        timeout: Option<Duration>,
        children: &Children,
        buffer: &mut [u8],
    ) -> Body {
        let begin = Instant::now();
        let tree = self.tree();
        let mut ending: Option<Ending> = None;
        let mut tree_over = false;
        let mut ended_at = None;
        let mut drained = 0;
        let (mut latest, mut in_a_row) = (begin, 0);
        loop {
            let now = Instant::now();
            let left = timeout.map(|limit| (begin + limit).saturating_duration_since(now));
            let exited = self.status().is_some();
            if !exited && ending.is_none() && left == Some(Duration::ZERO) {
                let begun = children.holding_pids(|| Ending::begin(&tree, TIMEOUT_GRACE, self.status().is_some()));
                ending = Some(begun);
            }
            if let (Some(ending), false) = (&mut ending, tree_over) {
                tree_over = children.holding_pids(|| ending.is_over(&tree, self.status().is_some()));
            }
            let over = if ending.is_some() { tree_over } else { exited };
            let wait = if over {
                Some((*ended_at.get_or_insert(now) + DRAIN).saturating_duration_since(now))
            } else if ending.is_some() {
                Some(Ending::LOOK_EVERY)
            } else {
                left
            };
            if over && streams.are_closed() {
                break;
            }
            if in_a_row > BUSY_AFTER && !over && ending.is_none() {
                thread::sleep(BUSY);
            }
            let count = streams.read_ready(Some(wake), wait, buffer, |bodies| self.log.append_all(bodies));
            in_a_row = if count > 0 && latest.elapsed() < 2 * BUSY { in_a_row + 1 } else { 0 };
            latest = Instant::now();
            if over {
                drained += count;
                let waited = wait == Some(Duration::ZERO);
                if waited && (count == 0 || drained > DRAIN_BYTES) {
                    break;
                }
            }
        }
        if ending.is_some() {
            return Body::TimedOut;
        }
        let status = self.status().unwrap_or(0);
        match status & 0x7f {
            0 => Body::Exited((status >> 8) as u8),
            signal => Body::Signaled(signal as u8),
        }
    }

    /// Writes all bytes, waiting for the process to read them; `each_look` is called now and then meanwhile.
    pub fn write_stdin<E: From<Refusal>>(
        &self,
        mut data: &[u8],
        mut each_look: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        let closed = || E::from(Refusal::new(Code::Precondition, format!("stdin is closed: {}", self.id)));
        let _turn = self.stdin_turn.lock().unwrap();
        while !data.is_empty() {
            let pipe = self.stdin.lock().unwrap().clone().ok_or_else(closed)?;
            match (&*pipe).write(data) {
                Ok(count) => data = &data[count..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let mut entry = [PollFd::new(&*pipe, POLLOUT)];
                    sys::wait_ready(&mut entry, Some(STDIN_LOOK));
                    if entry[0].revents == 0 {
                        each_look()?;
                    }
                }
                Err(_) => return Err(closed()),
            }
        }
        Ok(())
    }

    /// A terminal is told by its character for the end of the input, once it has taken what was written.
    pub fn close_stdin<E: From<Refusal>>(&self, each_look: impl FnMut() -> Result<(), E>) -> Result<(), E> {
        let terminal = self.terminal.lock().unwrap().clone();
        let open = self.stdin.lock().unwrap().is_some();
        if let (Some(near), true) = (terminal, open) {
            self.write_stdin(&[terminal::end_of_input(&near)], each_look)?;
        }
        *self.stdin.lock().unwrap() = None;
        Ok(())
    }

    pub fn resize(&self, size: Size, children: &Children) -> Result<(), Refusal> {
        let near = self.terminal.lock().unwrap().clone();
        let near =
            near.ok_or_else(|| Refusal::new(Code::Precondition, format!("no terminal, or ended: {}", self.id)))?;
        terminal::resize(&near, size)?;
        // The kernel's part, but gVisor leaves it out. Who does not expect the signal ignores it.
        children.holding_pids(|| self.tree().signal(sys::SIGWINCH, self.status().is_some()));
        Ok(())
    }

    /// A command that has ended holds no descriptor, however long its output is kept.
    fn release(&self) {
        *self.wake.lock().unwrap() = None;
        *self.stdin.lock().unwrap() = None;
        *self.terminal.lock().unwrap() = None;
    }
}

/// The read ends of the output pipes; None after the end of the stream.
struct Streams {
    stdout: Option<File>,
    stderr: Option<File>,
}

impl Streams {
    fn are_closed(&self) -> bool {
        self.stdout.is_none() && self.stderr.is_none()
    }

    /// Waits for output or a wake-up and reads each ready stream once; returns the number of bytes.
    fn read_ready(
        &mut self,
        wake: Option<&File>,
        limit: Option<Duration>,
        buffer: &mut [u8],
        mut sink: impl FnMut(Vec<Body>),
    ) -> usize {
        let entry = |file: Option<&File>| file.map_or_else(PollFd::ignored, |file| PollFd::new(file, POLLIN));
        let mut entries = [entry(self.stdout.as_ref()), entry(self.stderr.as_ref()), entry(wake)];
        sys::wait_ready(&mut entries, limit);
        if let (Some(mut wake), true) = (wake, entries[2].revents != 0) {
            let _ = wake.read(&mut [0; 8]);
        }
        let mut total = 0;
        for (stream, ready, is_stdout) in
            [(&mut self.stdout, entries[0].revents != 0, true), (&mut self.stderr, entries[1].revents != 0, false)]
        {
            let Some(file) = stream.as_mut().filter(|_| ready) else { continue };
            match file.read(buffer) {
                Ok(0) => *stream = None,
                Ok(count) => {
                    total += count;
                    let pieces = buffer[..count].chunks(CHUNK).map(<[u8]>::to_vec);
                    let kind = if is_stdout { Body::Stdout } else { Body::Stderr };
                    sink(pieces.map(kind).collect());
                }
                Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
                Err(_) => *stream = None,
            }
        }
        total
    }

    /// Reads on without keeping anything, or a background child that logs would die of SIGPIPE.
    fn discard(&mut self) {
        let mut buffer = vec![0; 4096];
        while !self.are_closed() {
            self.read_ready(None, None, &mut buffer, |_| {});
        }
    }
}

/// The agent's own environment, then the user's home, then what the host gave, then the marker of the tree.
fn environment(request: &Request, identity: Option<&Identity>, id: &str) -> Vec<Vec<u8>> {
    let mut variables: Vec<(Vec<u8>, Vec<u8>)> =
        std::env::vars_os().map(|(name, value)| (name.into_vec(), value.into_vec())).collect();
    let mut set = |name: &[u8], value: &[u8]| {
        variables.retain(|(other, _)| other != name);
        variables.push((name.to_vec(), value.to_vec()));
    };
    let home = match identity {
        Some(identity) => Some(identity.home.clone().unwrap_or_else(|| "/".into())),
        None if std::env::var_os("HOME").is_none() => Some(users::home_of(0).unwrap_or_else(|| "/root".into())),
        None => None,
    };
    if let Some(home) = home {
        set(b"HOME", home.as_bytes());
    }
    for (name, value) in &request.env {
        set(name, value);
    }
    set(MARKER.as_bytes(), id.as_bytes());
    variables.into_iter().map(|(name, value)| [name, value].join(&b'=')).collect()
}
