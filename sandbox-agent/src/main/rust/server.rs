//! Connections of the host: the token first, then one operation after the other.

use crate::exec::{Exec, Request};
use crate::files::{self, Upload};
use crate::log::{Body, Event};
use crate::reaper::Children;
use crate::table::{ExecTable, THREAD_STACK};
use crate::wire::{read_frame, reply, request, Code, Frame, FrameWriter, Refusal, Values, CHUNK, MAX_FRAME, MAX_HELLO};
use std::fs;
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

const MAX_CONNECTIONS: usize = 512;
const HELLO_LIMIT: Duration = Duration::from_secs(5);
const WRONG_TOKEN_DELAY: Duration = Duration::from_millis(250);
const HEARTBEAT: Duration = Duration::from_secs(1);
/// A reader that takes nothing for so long is cut off; it can attach again.
const WRITE_LIMIT: Duration = Duration::from_secs(60);
const ENTRIES_BYTES: usize = 32 * 1024;

const FLAG_STDIN: u8 = 1;
const FLAG_PTY: u8 = 2;
const SCOPE_PROCESS: u8 = 0;
const SCOPE_TREE: u8 = 1;

pub struct Agent {
    pub token: Vec<u8>,
    pub begun: Instant,
    pub children: Arc<Children>,
    pub execs: Arc<ExecTable>,
}

pub fn serve(agent: &Arc<Agent>, listener: &TcpListener) {
    let open = Arc::new(AtomicUsize::new(0));
    loop {
        let Ok((stream, _)) = listener.accept() else {
            // Out of descriptors or memory: the next attempt may find some.
            thread::sleep(Duration::from_millis(10));
            continue;
        };
        if open.fetch_add(1, Ordering::SeqCst) >= MAX_CONNECTIONS {
            open.fetch_sub(1, Ordering::SeqCst);
            continue;
        }
        let (agent, counter) = (Arc::clone(agent), Arc::clone(&open));
        let handle = move || {
            // Whatever broke the connection, the host sees it closed.
            let _ = Connection::serve(&agent, &stream);
            let _ = stream.shutdown(Shutdown::Both);
            counter.fetch_sub(1, Ordering::SeqCst);
        };
        if thread::Builder::new().stack_size(THREAD_STACK).spawn(handle).is_err() {
            open.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Why an operation did not complete.
enum Failure {
    Refused(Refusal),
    Broken(io::Error),
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Failure {
        Failure::Refused(refusal)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Broken(error)
    }
}

type Outcome = Result<(), Failure>;

struct Connection<'a> {
    agent: &'a Arc<Agent>,
    input: BufReader<&'a TcpStream>,
    output: &'a TcpStream,
    buffer: Vec<u8>,
}

impl<'a> Connection<'a> {
    fn serve(agent: &'a Arc<Agent>, stream: &'a TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(HELLO_LIMIT))?;
        stream.set_write_timeout(Some(WRITE_LIMIT))?;
        let input = BufReader::with_capacity(16 * 1024, stream);
        let mut connection = Connection { agent, input, output: stream, buffer: Vec::new() };
        if !connection.is_authorized()? {
            thread::sleep(WRONG_TOKEN_DELAY);
            return connection.refuse(&Refusal::new(Code::Unauthorized, "wrong token"));
        }
        stream.set_read_timeout(None)?;
        loop {
            let frame = match read_frame(&mut connection.input, MAX_FRAME) {
                Ok(Some(frame)) => frame,
                Ok(None) => return Ok(()),
                Err(error) if error.kind() == ErrorKind::InvalidData => {
                    return connection.refuse(&Refusal::protocol(&error.to_string()));
                }
                Err(error) => return Err(error),
            };
            match connection.perform(&frame) {
                Ok(()) => {}
                Err(Failure::Broken(error)) => return Err(error),
                Err(Failure::Refused(refusal)) => {
                    connection.refuse(&refusal)?;
                    if refusal.code == Code::Protocol {
                        return Ok(());
                    }
                }
            }
        }
    }

    fn is_authorized(&mut self) -> io::Result<bool> {
        match read_frame(&mut self.input, MAX_HELLO) {
            Ok(frame) => Ok(frame.map_or(false, |frame| {
                frame.kind == request::HELLO && equal_in_constant_time(&frame.payload, &self.agent.token)
            })),
            Err(error) if error.kind() == ErrorKind::InvalidData => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn perform(&mut self, frame: &Frame) -> Outcome {
        let mut values = Values::of(&frame.payload);
        match frame.kind {
            request::HEALTH => self.health(values),
            request::START => self.start(values),
            request::ATTACH => {
                let exec = self.agent.execs.find(values.text()?)?;
                let from = values.u64()?;
                values.finish()?;
                self.stream(&exec, from)
            }
            request::STDIN_WRITE => {
                let exec = self.agent.execs.find(values.text()?)?;
                let data = values.remaining();
                let mut latest = Instant::now();
                exec.write_stdin(data, || self.heartbeat(&mut latest))?;
                self.ok()
            }
            request::STDIN_CLOSE => {
                let exec = self.agent.execs.find(values.text()?)?;
                values.finish()?;
                exec.close_stdin();
                self.ok()
            }
            request::SIGNAL => self.signal(values),
            request::TERMINATE => self.terminate(values),
            request::LIST => self.list(values),
            request::REMOVE => {
                let id = values.text()?;
                values.finish()?;
                self.agent.execs.remove(id)?;
                self.ok()
            }
            request::RESIZE => Err(no_terminal().into()),
            request::FILE_PUT => self.put(values),
            request::FILE_GET => self.get(values),
            request::FILE_STAT => {
                let path = values.bytes()?;
                let follow = flag(values.u8()?)?;
                values.finish()?;
                let metadata = refused(files::stat(files::checked_path(path)?, follow))?;
                self.send(|buffer| files::write_entry(FrameWriter::begin(buffer, reply::STAT), &metadata, path).end())
            }
            request::FILE_LIST => {
                let path = values.bytes()?;
                values.finish()?;
                self.entries(files::checked_path(path)?)
            }
            request::FILE_MKDIR => {
                let path = values.bytes()?;
                let (mode, parents) = (values.u32()?, flag(values.u8()?)?);
                values.finish()?;
                refused(files::make_folder(files::checked_path(path)?, mode, parents))?;
                self.ok()
            }
            request::FILE_REMOVE => {
                let path = values.bytes()?;
                let recursive = flag(values.u8()?)?;
                values.finish()?;
                refused(files::remove(files::checked_path(path)?, recursive))?;
                self.ok()
            }
            request::FILE_RENAME => {
                let (from, to) = (values.bytes()?, values.bytes()?);
                values.finish()?;
                refused(fs::rename(files::checked_path(from)?, files::checked_path(to)?))?;
                self.ok()
            }
            other => Err(Refusal::protocol(&format!("unknown request type: {other:#04x}")).into()),
        }
    }

    fn health(&mut self, values: Values) -> Outcome {
        values.finish()?;
        let execs = self.agent.execs.all();
        let running = execs.iter().filter(|exec| !exec.log.is_finished()).count();
        let uptime = self.agent.begun.elapsed().as_millis() as u64;
        self.send(|buffer| {
            FrameWriter::begin(buffer, reply::HEALTH)
                .bytes(env!("CARGO_PKG_VERSION").as_bytes())
                .u64(uptime)
                .u32(running as u32)
                .u32(execs.len() as u32)
                .u32(std::process::id())
                .end();
        })
    }

    fn start(&mut self, mut values: Values) -> Outcome {
        let id = values.text()?;
        let flags = values.u8()?;
        let timeout = values.u64()?;
        let workdir = values.bytes()?.to_vec();
        let user = values.text()?.to_string();
        let mut argv = Vec::new();
        for _ in 0..values.u32()? {
            argv.push(values.bytes()?.to_vec());
        }
        let mut env = Vec::new();
        for _ in 0..values.u32()? {
            env.push((values.bytes()?.to_vec(), values.bytes()?.to_vec()));
        }
        values.finish()?;
        if flags & FLAG_PTY != 0 {
            return Err(no_terminal().into());
        }
        if flags & !FLAG_STDIN != 0 {
            return Err(Refusal::new(Code::Unsupported, format!("start flags: {flags:#04x}")).into());
        }
        if argv.is_empty() {
            return Err(Refusal::new(Code::Invalid, "argv is empty (expected: at least the command)").into());
        }
        if env.iter().any(|(name, _)| name.is_empty() || name.contains(&b'=')) {
            return Err(Refusal::new(Code::Invalid, "environment name is empty or contains '='").into());
        }
        let request = Request {
            argv,
            env,
            workdir,
            user,
            stdin: flags & FLAG_STDIN != 0,
            timeout: (timeout > 0).then(|| Duration::from_millis(timeout.min(u64::from(u32::MAX) * 1000))),
        };
        let exec = self.agent.execs.start(id, request, &self.agent.children)?;
        self.stream(&exec, 1)
    }

    /// Sends the events from a sequence number on, up to the terminal one.
    fn stream(&mut self, exec: &Exec, from: u64) -> Outcome {
        let beyond = || Refusal::new(Code::Invalid, format!("sequence: {from} (expected: at most the next event)"));
        let mut reader = exec.log.reader(from).ok_or_else(beyond)?;
        loop {
            let batch = reader.take(HEARTBEAT);
            self.send(|buffer| {
                if let Some(gap) = &batch.gap {
                    FrameWriter::begin(buffer, reply::DROPPED).u64(gap.last).u64(gap.first).u64(gap.bytes).end();
                }
                for event in &batch.events {
                    write_event(buffer, event);
                }
                if buffer.is_empty() {
                    FrameWriter::begin(buffer, reply::HEARTBEAT).end();
                }
            })?;
            if batch.last {
                return Ok(());
            }
        }
    }

    fn signal(&mut self, mut values: Values) -> Outcome {
        let exec = self.agent.execs.find(values.text()?)?;
        let (signal, scope) = (values.u32()?, values.u8()?);
        values.finish()?;
        if !(1..=64).contains(&signal) || !matches!(scope, SCOPE_PROCESS | SCOPE_TREE) {
            return Err(Refusal::new(Code::Invalid, format!("signal {signal}, scope {scope}")).into());
        }
        let _hold = self.agent.children.hold_pids();
        let collected = exec.status().is_some();
        if exec.pid() == 0 || (collected && scope == SCOPE_PROCESS) {
            return Err(Refusal::new(Code::Precondition, format!("no process: {}", exec.id)).into());
        }
        if scope == SCOPE_TREE {
            exec.tree().signal(signal as i32, collected);
        } else {
            refused(crate::sys::kill(exec.pid(), signal as i32))?;
        }
        self.ok()
    }

    fn terminate(&mut self, mut values: Values) -> Outcome {
        let exec = self.agent.execs.find(values.text()?)?;
        let grace = Duration::from_millis(u64::from(values.u32()?));
        values.finish()?;
        if exec.pid() != 0 {
            let mut latest = Instant::now();
            exec.tree().terminate(grace, || exec.status().is_some(), || self.heartbeat(&mut latest))?;
        }
        self.ok()
    }

    fn list(&mut self, values: Values) -> Outcome {
        values.finish()?;
        let execs = self.agent.execs.all();
        self.send(|buffer| {
            let mut frame = FrameWriter::begin(buffer, reply::EXECS).u32(execs.len() as u32);
            for exec in &execs {
                frame = frame
                    .bytes(exec.id.as_bytes())
                    .u32(exec.pid() as u32)
                    .u8(u8::from(exec.log.is_finished()))
                    .u64(exec.log.next_sequence())
                    .u64(exec.created.elapsed().as_millis() as u64)
                    .bytes(&exec.command[..exec.command.len().min(256)]);
            }
            frame.end();
        })
    }

    fn put(&mut self, mut values: Values) -> Outcome {
        let path = values.bytes()?.to_vec();
        let (mode, parents) = (values.u32()?, flag(values.u8()?)?);
        values.finish()?;
        // After a failure the data is read to its end all the same, so that the connection stays usable.
        let mut upload = files::checked_path(&path).and_then(|path| Ok(Upload::begin(path, mode, parents)?));
        loop {
            let frame =
                read_frame(&mut self.input, MAX_FRAME)?.ok_or_else(|| io::Error::from(ErrorKind::UnexpectedEof))?;
            match frame.kind {
                request::DATA => {
                    if let Ok(file) = &mut upload {
                        if let Err(error) = file.write(&frame.payload) {
                            upload = Err(error.into());
                        }
                    }
                }
                request::DATA_END => {
                    refused(upload?.commit())?;
                    return self.ok();
                }
                _ => return Err(Refusal::protocol("expected data of the file").into()),
            }
        }
    }

    fn get(&mut self, mut values: Values) -> Outcome {
        let path = values.bytes()?;
        let (offset, mut left) = (values.u64()?, values.u64()?);
        values.finish()?;
        let (mut file, metadata) = files::open(files::checked_path(path)?, offset)?;
        self.send(|buffer| files::write_entry(FrameWriter::begin(buffer, reply::STAT), &metadata, path).end())?;
        let mut chunk = vec![0; CHUNK];
        while left > 0 {
            let wanted = chunk.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let count = refused(file.read(&mut chunk[..wanted]))?;
            if count == 0 {
                break;
            }
            left -= count as u64;
            self.send(|buffer| FrameWriter::begin(buffer, reply::DATA).raw(&chunk[..count]).end())?;
        }
        self.send(|buffer| FrameWriter::begin(buffer, reply::DATA_END).end())
    }

    fn entries(&mut self, folder: &Path) -> Outcome {
        let mut entries = refused(fs::read_dir(folder))?;
        loop {
            let mut batch = Vec::new();
            let mut count = 0u32;
            let mut frame = FrameWriter::begin(&mut batch, reply::ENTRIES).u32(0);
            let mut end = false;
            while frame.length() < ENTRIES_BYTES {
                let Some(entry) = entries.next() else {
                    end = true;
                    break;
                };
                let entry = refused(entry)?;
                // An entry that has gone since is no entry.
                if let Ok(metadata) = entry.metadata() {
                    frame = files::write_entry(frame, &metadata, entry.file_name().as_bytes());
                    count += 1;
                }
            }
            frame.count(count).end();
            self.output.write_all(&batch)?;
            if end {
                return self.send(|buffer| FrameWriter::begin(buffer, reply::DATA_END).end());
            }
        }
    }

    fn ok(&mut self) -> Outcome {
        self.send(|buffer| FrameWriter::begin(buffer, reply::OK).end())
    }

    fn heartbeat(&mut self, latest: &mut Instant) -> Outcome {
        if latest.elapsed() >= HEARTBEAT {
            *latest = Instant::now();
            self.send(|buffer| FrameWriter::begin(buffer, reply::HEARTBEAT).end())?;
        }
        Ok(())
    }

    fn refuse(&mut self, refusal: &Refusal) -> io::Result<()> {
        self.buffer.clear();
        FrameWriter::begin(&mut self.buffer, reply::ERROR)
            .u16(refusal.code as u16)
            .u32(refusal.errno as u32)
            .bytes(refusal.message.as_bytes())
            .end();
        self.output.write_all(&self.buffer)
    }

    fn send(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Outcome {
        self.buffer.clear();
        write(&mut self.buffer);
        Ok(self.output.write_all(&self.buffer)?)
    }
}

fn write_event(buffer: &mut Vec<u8>, event: &Event) {
    let kind = match &event.body {
        Body::Started { .. } => reply::STARTED,
        Body::Stdout(_) => reply::STDOUT,
        Body::Stderr(_) => reply::STDERR,
        Body::Exited(_) => reply::EXITED,
        Body::Signaled(_) => reply::SIGNALED,
        Body::TimedOut => reply::TIMED_OUT,
        Body::Failed { .. } => reply::FAILED,
    };
    let frame = FrameWriter::begin(buffer, kind).u64(event.sequence);
    let frame = match &event.body {
        Body::Started { pid } => frame.u32(*pid as u32),
        Body::Stdout(data) | Body::Stderr(data) => frame.raw(data),
        Body::Exited(number) | Body::Signaled(number) => frame.u8(*number),
        Body::TimedOut => frame,
        Body::Failed { exit_code, errno, message } => frame.u8(*exit_code).u32(*errno as u32).bytes(message.as_bytes()),
    };
    frame.end();
}

/// An error of a file or process, which the host is told; an error of the connection ends it instead.
fn refused<T>(result: io::Result<T>) -> Result<T, Failure> {
    result.map_err(|error| Failure::Refused(error.into()))
}

fn no_terminal() -> Refusal {
    Refusal::new(Code::Unsupported, "this agent offers no terminals")
}

fn flag(value: u8) -> Result<bool, Refusal> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Refusal::protocol("flag is neither 0 nor 1")),
    }
}

fn equal_in_constant_time(given: &[u8], expected: &[u8]) -> bool {
    let mut difference = u8::from(given.len() != expected.len());
    for (index, byte) in expected.iter().enumerate() {
        difference |= byte ^ given.get(index).copied().unwrap_or(0);
    }
    std::hint::black_box(difference) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_must_match_as_a_whole() {
        assert!(equal_in_constant_time(b"secret", b"secret"));
        for wrong in [&b"secreT"[..], b"secre", b"secret2", b"", b"secret\0"] {
            assert!(!equal_in_constant_time(wrong, b"secret"));
        }
    }
}
