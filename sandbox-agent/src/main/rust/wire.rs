//! Frames and the values inside them. PROTOCOL.md is the specification.

use std::io::{self, Read};

pub const VERSION: u8 = 1;
/// Largest frame body (version, type, payload) that either side accepts.
pub const MAX_FRAME: usize = 1 << 20;
/// Largest body before the token has been checked.
pub const MAX_HELLO: usize = 4096;
/// Data bytes put into one frame.
pub const CHUNK: usize = 64 * 1024;

pub mod request {
    pub const HELLO: u8 = 0x01;
    pub const HEALTH: u8 = 0x02;
    pub const START: u8 = 0x10;
    pub const ATTACH: u8 = 0x11;
    pub const STDIN_WRITE: u8 = 0x12;
    pub const STDIN_CLOSE: u8 = 0x13;
    pub const SIGNAL: u8 = 0x14;
    pub const LIST: u8 = 0x15;
    pub const REMOVE: u8 = 0x16;
    pub const RESIZE: u8 = 0x17;
    pub const TERMINATE: u8 = 0x18;
    pub const FILE_PUT: u8 = 0x20;
    pub const FILE_GET: u8 = 0x21;
    pub const FILE_STAT: u8 = 0x22;
    pub const FILE_LIST: u8 = 0x23;
    pub const FILE_MKDIR: u8 = 0x24;
    pub const FILE_REMOVE: u8 = 0x25;
    pub const FILE_RENAME: u8 = 0x26;
    pub const TAR_GET: u8 = 0x27;
    pub const TAR_PUT: u8 = 0x28;
    pub const WATCH: u8 = 0x29;
    pub const FILE_CHMOD: u8 = 0x2A;
    pub const DATA: u8 = 0x30;
    pub const DATA_END: u8 = 0x31;
    pub const DIAL: u8 = 0x40;
}

pub mod reply {
    pub const OK: u8 = 0x80;
    pub const ERROR: u8 = 0x81;
    pub const HEALTH: u8 = 0x82;
    pub const EXECS: u8 = 0x83;
    pub const HEARTBEAT: u8 = 0x8F;
    pub const STARTED: u8 = 0x90;
    pub const STDOUT: u8 = 0x91;
    pub const STDERR: u8 = 0x92;
    pub const DROPPED: u8 = 0x93;
    pub const EXITED: u8 = 0x94;
    pub const SIGNALED: u8 = 0x95;
    pub const TIMED_OUT: u8 = 0x96;
    pub const FAILED: u8 = 0x97;
    pub const DATA: u8 = 0xA0;
    pub const DATA_END: u8 = 0xA1;
    pub const STAT: u8 = 0xA2;
    pub const ENTRIES: u8 = 0xA3;
    pub const CHANGE: u8 = 0xA4;
}

/// Error codes of the ERROR frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u16)]
pub enum Code {
    Unauthorized = 1,
    Protocol = 2,
    Invalid = 3,
    NotFound = 4,
    AlreadyExists = 5,
    Precondition = 6,
    Unsupported = 7,
    Io = 8,
}

/// Why an operation was refused: becomes an ERROR frame.
#[derive(Debug)]
pub struct Refusal {
    pub code: Code,
    pub errno: i32,
    pub message: String,
}

impl Refusal {
    pub fn new(code: Code, message: impl Into<String>) -> Refusal {
        Refusal { code, errno: 0, message: message.into() }
    }

    pub fn protocol(message: &str) -> Refusal {
        Refusal::new(Code::Protocol, message)
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        let code = match error.kind() {
            io::ErrorKind::NotFound => Code::NotFound,
            io::ErrorKind::AlreadyExists => Code::AlreadyExists,
            io::ErrorKind::InvalidInput => Code::Invalid,
            _ => Code::Io,
        };
        Refusal { code, errno: error.raw_os_error().unwrap_or(0), message: error.to_string() }
    }
}

pub struct Frame {
    pub kind: u8,
    pub payload: Vec<u8>,
}

/// Reads one frame; None at a clean end of the stream. A frame of a wrong size or version is InvalidData.
pub fn read_frame(input: &mut impl Read, max: usize) -> io::Result<Option<Frame>> {
    let mut header = [0; 6];
    if input.read(&mut header[..1])? == 0 {
        return Ok(None);
    }
    input.read_exact(&mut header[1..])?;
    let length = u32::from_be_bytes([header[0], header[1], header[2], header[3]]) as usize;
    if length < 2 || length > max {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("frame length: {length} (expected: 2 to {max})"),
        ));
    }
    if header[4] != VERSION {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("version: {} (expected: {VERSION})", header[4]),
        ));
    }
    let mut payload = vec![0; length - 2];
    input.read_exact(&mut payload)?;
    Ok(Some(Frame { kind: header[5], payload }))
}

/// Appends one frame to a buffer; its length is filled in by `end`.
pub struct FrameWriter<'a> {
    buffer: &'a mut Vec<u8>,
    start: usize,
}

impl<'a> FrameWriter<'a> {
    pub fn begin(buffer: &'a mut Vec<u8>, kind: u8) -> FrameWriter<'a> {
        let start = buffer.len();
        buffer.extend_from_slice(&[0, 0, 0, 0, VERSION, kind]);
        FrameWriter { buffer, start }
    }

    pub fn u8(self, value: u8) -> Self {
        self.raw(&[value])
    }

    pub fn u16(self, value: u16) -> Self {
        self.raw(&value.to_be_bytes())
    }

    pub fn u32(self, value: u32) -> Self {
        self.raw(&value.to_be_bytes())
    }

    pub fn u64(self, value: u64) -> Self {
        self.raw(&value.to_be_bytes())
    }

    pub fn i64(self, value: i64) -> Self {
        self.raw(&value.to_be_bytes())
    }

    pub fn bytes(self, value: &[u8]) -> Self {
        self.u32(value.len() as u32).raw(value)
    }

    pub fn raw(self, value: &[u8]) -> Self {
        self.buffer.extend_from_slice(value);
        self
    }

    /// Bytes of this frame so far.
    pub fn length(&self) -> usize {
        self.buffer.len() - self.start
    }

    /// Fills in a count that was written as the first value of the payload before it was known.
    pub fn count(self, count: u32) -> Self {
        self.buffer[self.start + 6..self.start + 10].copy_from_slice(&count.to_be_bytes());
        self
    }

    pub fn end(self) {
        let length = (self.buffer.len() - self.start - 4) as u32;
        self.buffer[self.start..self.start + 4].copy_from_slice(&length.to_be_bytes());
    }
}

/// Takes values off a payload; anything short, long or left over is a protocol error.
pub struct Values<'a> {
    rest: &'a [u8],
}

type Taken<T> = Result<T, Refusal>;

impl<'a> Values<'a> {
    pub fn of(payload: &'a [u8]) -> Values<'a> {
        Values { rest: payload }
    }

    fn take(&mut self, count: usize) -> Taken<&'a [u8]> {
        if count > self.rest.len() {
            return Err(Refusal::protocol("payload is too short"));
        }
        let (taken, rest) = self.rest.split_at(count);
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Taken<[u8; N]> {
        let mut value = [0; N];
        value.copy_from_slice(self.take(N)?);
        Ok(value)
    }

    pub fn u8(&mut self) -> Taken<u8> {
        Ok(self.array::<1>()?[0])
    }

    pub fn u16(&mut self) -> Taken<u16> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    pub fn u32(&mut self) -> Taken<u32> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    pub fn u64(&mut self) -> Taken<u64> {
        Ok(u64::from_be_bytes(self.array()?))
    }

    pub fn bytes(&mut self) -> Taken<&'a [u8]> {
        let length = self.u32()? as usize;
        self.take(length)
    }

    pub fn text(&mut self) -> Taken<&'a str> {
        std::str::from_utf8(self.bytes()?).map_err(|_| Refusal::protocol("text is not UTF-8"))
    }

    pub fn remaining(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    pub fn finish(self) -> Taken<()> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(Refusal::protocol("payload is too long"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_survives_the_round_trip() {
        let mut buffer = Vec::new();
        FrameWriter::begin(&mut buffer, 7).u8(1).u32(2).u64(3).bytes(b"four").end();

        let frame = read_frame(&mut buffer.as_slice(), MAX_FRAME).unwrap().unwrap();

        let mut values = Values::of(&frame.payload);
        assert_eq!(frame.kind, 7);
        assert_eq!((values.u8().unwrap(), values.u32().unwrap(), values.u64().unwrap()), (1, 2, 3));
        assert_eq!(values.bytes().unwrap(), b"four");
        assert!(values.finish().is_ok());
    }

    #[test]
    fn end_of_stream_between_frames_is_clean_and_inside_a_frame_is_not() {
        assert!(read_frame(&mut [].as_slice(), MAX_FRAME).unwrap().is_none());
        assert!(read_frame(&mut [0, 0, 0, 5, 1, 1].as_slice(), MAX_FRAME).is_err());
    }

    #[test]
    fn refuses_wrong_length_and_wrong_version() {
        assert!(read_frame(&mut [0, 0, 0, 1, 1, 1].as_slice(), MAX_FRAME).is_err());
        assert!(read_frame(&mut [0xff, 0, 0, 0, 1, 1].as_slice(), MAX_FRAME).is_err());
        assert!(read_frame(&mut [0, 0, 0, 2, 9, 1].as_slice(), MAX_FRAME).is_err());
    }

    #[test]
    fn refuses_lengths_beyond_the_payload_and_left_over_bytes() {
        assert!(Values::of(&[0, 0, 0, 9, 1]).bytes().is_err());
        assert!(Values::of(&[1]).finish().is_err());
    }
}
