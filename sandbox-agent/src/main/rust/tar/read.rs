//! Reads the members of a tar that anybody may have made.

use super::{checksum, field, invalid, padding, shown, BLOCK};
use crate::wire::Refusal;
use std::io::{self, Read};

/// More than any name or set of PAX records needs.
const MAX_EXTENSION: u64 = 64 * 1024;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    File,
    Folder,
    Symlink,
    HardLink,
}

#[derive(Debug)]
pub struct Member {
    pub kind: Kind,
    pub name: Vec<u8>,
    pub link: Vec<u8>,
    pub mode: u32,
    pub modified: i64,
}

/// What extension headers said about the next member.
#[derive(Default)]
struct Extension {
    name: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    size: Option<u64>,
    modified: Option<i64>,
}

/// Members one after the other; between them, `Read` gives the bytes of the latest one.
pub struct TarReader<R> {
    input: R,
    body: u64,
    padding: u64,
}

impl<R: Read> TarReader<R> {
    pub fn new(input: R) -> TarReader<R> {
        TarReader { input, body: 0, padding: 0 }
    }

    /// The next member; None at the end mark, after which everything was read.
    pub fn next(&mut self) -> Result<Option<Member>, Refusal> {
        let mut extension = Extension::default();
        loop {
            self.skip(self.body + self.padding)?;
            (self.body, self.padding) = (0, 0);
            let mut header = [0; BLOCK];
            self.fill(&mut header)?;
            if header.iter().all(|byte| *byte == 0) {
                io::copy(&mut self.input, &mut io::sink())?;
                return Ok(None);
            }
            if number(&header, field::CHECKSUM)? != checksum(&header) as i64 {
                return Err(invalid("wrong checksum of a header"));
            }
            let size = u64::try_from(number(&header, field::SIZE)?).map_err(|_| invalid("negative size"))?;
            match header[field::KIND] {
                b'L' => extension.name = Some(without_nul(&self.extension(size)?).to_vec()),
                b'K' => extension.link = Some(without_nul(&self.extension(size)?).to_vec()),
                b'x' => extension.read_records(&self.extension(size)?)?,
                b'g' => {
                    let mut global = Extension::default();
                    global.read_records(&self.extension(size)?)?;
                    if global.name.is_some() || global.link.is_some() || global.size.is_some() {
                        return Err(invalid("a global header that names a member"));
                    }
                }
                kind => return self.member(&header, kind, size, extension).map(Some),
            }
        }
    }

    fn member(&mut self, header: &[u8; BLOCK], kind: u8, size: u64, given: Extension) -> Result<Member, Refusal> {
        let name = given.name.unwrap_or_else(|| header_name(header));
        let kind = match kind {
            b'0' | 0 | b'7' if name.ends_with(b"/") => Kind::Folder,
            b'0' | 0 | b'7' => Kind::File,
            b'5' => Kind::Folder,
            b'2' => Kind::Symlink,
            b'1' => Kind::HardLink,
            b'S' => return Err(invalid(format!("{}: a sparse file", shown(&name)))),
            b'3' | b'4' | b'6' => return Err(invalid(format!("{}: a device or pipe", shown(&name)))),
            _ => return Err(invalid(format!("{}: unknown type of member", shown(&name)))),
        };
        let size = given.size.unwrap_or(size);
        if kind != Kind::File && size != 0 {
            return Err(invalid(format!("{}: content (expected: only files have some)", shown(&name))));
        }
        if size > i64::MAX as u64 {
            return Err(invalid(format!("{}: size {size}", shown(&name))));
        }
        self.body = size;
        self.padding = padding(size);
        let modified = number(header, field::MODIFIED)?;
        Ok(Member {
            kind,
            name,
            link: given.link.unwrap_or_else(|| without_nul(part(header, field::LINK)).to_vec()),
            mode: (number(header, field::MODE)? & 0o7777) as u32,
            modified: given.modified.unwrap_or(modified),
        })
    }

    /// The rest of a file must be there.
    pub fn read_body(&mut self, chunk: &mut [u8]) -> Result<usize, Refusal> {
        let wanted = chunk.len().min(usize::try_from(self.body).unwrap_or(usize::MAX));
        if wanted == 0 {
            return Ok(0);
        }
        let count = self.input.read(&mut chunk[..wanted])?;
        if count == 0 {
            return Err(invalid("ends inside a file"));
        }
        self.body -= count as u64;
        Ok(count)
    }

    fn extension(&mut self, size: u64) -> Result<Vec<u8>, Refusal> {
        if size > MAX_EXTENSION {
            return Err(invalid(format!("an extension header of {size} bytes (expected: at most {MAX_EXTENSION})")));
        }
        let mut content = vec![0; size as usize];
        self.fill(&mut content)?;
        self.padding = padding(size);
        Ok(content)
    }

    fn fill(&mut self, buffer: &mut [u8]) -> Result<(), Refusal> {
        self.input.read_exact(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => invalid("ends without its end mark"),
            _ => error.into(),
        })
    }

    fn skip(&mut self, count: u64) -> Result<(), Refusal> {
        if io::copy(&mut self.input.by_ref().take(count), &mut io::sink())? == count {
            Ok(())
        } else {
            Err(invalid("ends inside a file"))
        }
    }
}

impl Extension {
    /// Records "length key=value\n", where the length counts itself.
    fn read_records(&mut self, mut records: &[u8]) -> Result<(), Refusal> {
        let broken = || invalid("broken PAX record");
        while !records.is_empty() {
            let space = records.iter().position(|byte| *byte == b' ').ok_or_else(broken)?;
            let length =
                decimal(&records[..space]).and_then(|length| usize::try_from(length).ok()).ok_or_else(broken)?;
            if length > records.len() || length < space + 3 || records[length - 1] != b'\n' {
                return Err(broken());
            }
            let record = &records[space + 1..length - 1];
            let equals = record.iter().position(|byte| *byte == b'=').ok_or_else(broken)?;
            let (key, value) = (&record[..equals], &record[equals + 1..]);
            match key {
                b"path" => self.name = Some(value.to_vec()),
                b"linkpath" => self.link = Some(value.to_vec()),
                b"size" => self.size = Some(decimal(value).ok_or_else(broken)?),
                b"mtime" => self.modified = Some(seconds(value).ok_or_else(broken)?),
                _ if key.starts_with(b"GNU.sparse.") => return Err(invalid("a sparse file")),
                _ => {}
            }
            records = &records[length..];
        }
        Ok(())
    }
}

fn decimal(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn seconds(value: &[u8]) -> Option<i64> {
    let whole = value.split(|byte| *byte == b'.').next()?;
    std::str::from_utf8(whole).ok()?.parse().ok()
}

fn header_name(header: &[u8; BLOCK]) -> Vec<u8> {
    let name = without_nul(part(header, field::NAME));
    let prefix = without_nul(part(header, field::PREFIX));
    // GNU headers keep other things where ustar has the prefix.
    if part(header, field::MAGIC) != b"ustar\x0000" || prefix.is_empty() {
        return name.to_vec();
    }
    [prefix, b"/", name].concat()
}

fn part(header: &[u8; BLOCK], (offset, length): (usize, usize)) -> &[u8] {
    &header[offset..offset + length]
}

fn without_nul(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len())]
}

/// Octal digits, or a big-endian number when the first bit is set.
fn number(header: &[u8; BLOCK], place: (usize, usize)) -> Result<i64, Refusal> {
    let bytes = part(header, place);
    let broken = || invalid("broken number in a header");
    if bytes[0] & 0x80 != 0 {
        let negative = bytes[0] & 0x40 != 0;
        let mut value: i128 = if negative { -1 } else { 0 };
        for (index, byte) in bytes.iter().enumerate() {
            let byte = if index == 0 && !negative { byte & 0x7f } else { *byte };
            value = value << 8 | i128::from(byte);
        }
        return i64::try_from(value).map_err(|_| broken());
    }
    let text = without_nul(bytes);
    let digits: Vec<u8> = text.iter().copied().filter(|byte| *byte != b' ').collect();
    digits.iter().try_fold(0i64, |value, digit| match digit {
        b'0'..=b'7' => Ok(value << 3 | i64::from(digit - b'0')),
        _ => Err(broken()),
    })
}
