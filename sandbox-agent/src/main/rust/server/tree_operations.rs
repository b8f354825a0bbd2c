//! The operations on whole directories: tar in both directions, and watching.

use super::{flag, refused, Connection, Failure, Outcome, HEARTBEAT};
use crate::files;
use crate::sys::{wait_ready, PollFd, POLLIN};
use crate::tar;
use crate::watch::Watch;
use crate::wire::{read_frame, reply, request, FrameWriter, Refusal, Values, CHUNK, MAX_FRAME};
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Instant;

const MAX_EXCLUDES: u32 = 1000;

impl Connection<'_> {
    pub(super) fn tar_get(&mut self, mut values: Values) -> Outcome {
        let path = values.bytes()?;
        let count = values.u32()?;
        if count > MAX_EXCLUDES {
            return Err(Refusal::protocol("too many excludes").into());
        }
        let excludes = (0..count).map(|_| Ok(values.bytes()?.to_vec())).collect::<Result<Vec<_>, Refusal>>()?;
        values.finish()?;
        let root = files::checked_path(path)?;
        let metadata = refused(fs::metadata(root))?;
        self.send(|buffer| files::write_entry(FrameWriter::begin(buffer, reply::STAT), &metadata, path).end())?;
        let mut sink = DataSink { output: self.output, data: Vec::with_capacity(CHUNK), broken: None };
        let packed = tar::pack(root, &excludes, &mut sink).and_then(|()| Ok(sink.flush()?));
        if let Some(broken) = sink.broken {
            return Err(Failure::Broken(broken));
        }
        packed?;
        self.send(|buffer| FrameWriter::begin(buffer, reply::DATA_END).end())
    }

    pub(super) fn tar_put(&mut self, mut values: Values) -> Outcome {
        let path = values.bytes()?.to_vec();
        values.finish()?;
        let mut source = DataSource { input: &mut self.input, data: Vec::new(), at: 0, ended: false, broken: None };
        let unpacked = files::checked_path(&path).and_then(|path| tar::unpack(path, &mut source));
        // After a failure the data is read to its end all the same, so that the connection stays usable.
        let drained = io::copy(&mut source, &mut io::sink());
        if let Some(broken) = source.broken {
            return Err(broken);
        }
        drained?;
        unpacked?;
        self.ok()
    }

    /// Sends changes until the directory is gone or the host closes the connection.
    pub(super) fn watch(&mut self, mut values: Values) -> Outcome {
        let path = values.bytes()?;
        let recursive = flag(values.u8()?)?;
        values.finish()?;
        files::checked_path(path)?;
        let mut watch = Watch::begin(path, recursive)?;
        self.ok()?;
        let mut beat = Instant::now();
        loop {
            let now = Instant::now();
            for change in watch.take(now) {
                self.send(|buffer| {
                    FrameWriter::begin(buffer, reply::CHANGE)
                        .u8(change.kind as u8)
                        .bytes(&change.path)
                        .bytes(&change.from)
                        .end();
                })?;
            }
            if watch.is_ended() {
                return self.send(|buffer| FrameWriter::begin(buffer, reply::DATA_END).end());
            }
            self.heartbeat(&mut beat)?;
            let due = watch.next_due().map_or(HEARTBEAT, |due| due.saturating_duration_since(now)).min(HEARTBEAT);
            let mut entries = [PollFd::new(watch.queue(), POLLIN), PollFd::new(self.output, POLLIN)];
            wait_ready(&mut entries, Some(due));
            if entries[1].revents != 0 {
                return Err(Failure::Broken(ErrorKind::ConnectionAborted.into()));
            }
            if entries[0].revents != 0 {
                refused(watch.read())?;
            }
        }
    }
}

/// Bytes that become DATA frames. Remembers if it was the connection that failed.
struct DataSink<'a> {
    output: &'a TcpStream,
    data: Vec<u8>,
    broken: Option<io::Error>,
}

impl Write for DataSink<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let count = data.len().min(CHUNK - self.data.len());
        self.data.extend_from_slice(&data[..count]);
        if self.data.len() == CHUNK {
            self.flush()?;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.data.is_empty() {
            return Ok(());
        }
        let mut frame = Vec::with_capacity(self.data.len() + 6);
        FrameWriter::begin(&mut frame, reply::DATA).raw(&self.data).end();
        self.data.clear();
        let mut output = self.output;
        output.write_all(&frame).map_err(|error| {
            let kind = error.kind();
            self.broken = Some(error);
            kind.into()
        })
    }
}

/// The bytes of DATA frames up to DATA_END. Remembers if it was the connection that failed.
struct DataSource<'a, R> {
    input: &'a mut R,
    data: Vec<u8>,
    at: usize,
    ended: bool,
    broken: Option<Failure>,
}

impl<R: Read> DataSource<'_, R> {
    fn next_frame(&mut self) -> Result<(), Failure> {
        let frame = read_frame(self.input, MAX_FRAME)?.ok_or_else(|| io::Error::from(ErrorKind::UnexpectedEof))?;
        match frame.kind {
            request::DATA => (self.data, self.at) = (frame.payload, 0),
            request::DATA_END => self.ended = true,
            _ => return Err(Refusal::protocol("expected data of the tar").into()),
        }
        Ok(())
    }
}

impl<R: Read> Read for DataSource<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.data.len() && !self.ended && !buffer.is_empty() {
            if self.broken.is_some() {
                return Err(ErrorKind::BrokenPipe.into());
            }
            if let Err(failure) = self.next_frame() {
                self.broken = Some(failure);
            }
        }
        let count = buffer.len().min(self.data.len() - self.at);
        buffer[..count].copy_from_slice(&self.data[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}
