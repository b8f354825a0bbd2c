//! Connections of the host: the token first, then one operation after the other.

mod dial;
mod exec_operations;
mod file_operations;
mod tree_operations;

use crate::files;
use crate::reaper::Children;
use crate::table::ExecTable;
use crate::wire::{read_frame, reply, request, Code, Frame, FrameWriter, Refusal, Values, MAX_FRAME, MAX_HELLO};
use crate::workers;
use std::io::{self, BufReader, ErrorKind, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
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
        if thread::Builder::new().stack_size(workers::STACK).spawn(handle).is_err() {
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
                let mut latest = Instant::now();
                exec.close_stdin(|| self.heartbeat(&mut latest))?;
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
            request::RESIZE => self.resize(values),
            request::DIAL => self.dial(values),
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
                let overwrite = flag(values.u8()?)?;
                values.finish()?;
                refused(files::rename(files::checked_path(from)?, files::checked_path(to)?, overwrite))?;
                self.ok()
            }
            request::FILE_CHMOD => {
                let (path, mode) = (values.bytes()?, values.u32()?);
                values.finish()?;
                refused(files::change_mode(files::checked_path(path)?, mode))?;
                self.ok()
            }
            request::TAR_GET => self.tar_get(values),
            request::TAR_PUT => self.tar_put(values),
            request::WATCH => self.watch(values),
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

/// An error of a file or process, which the host is told; an error of the connection ends it instead.
fn refused<T>(result: io::Result<T>) -> Result<T, Failure> {
    result.map_err(|error| Failure::Refused(error.into()))
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
