//! Packs a directory. Names that do not fit a header come in GNU long-name members, as raw bytes.

use super::{checksum, field, padding, shown, BLOCK};
use crate::files::{NotFollowed, UPLOAD_PREFIX};
use crate::wire::{Code, Refusal, CHUNK};
use std::collections::HashMap;
use std::fs::{self, Metadata, OpenOptions, ReadDir};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Where hard links lead; beyond it they are packed as files of their own.
const MAX_LINKED: usize = 100_000;

/// Writes the directory itself as `./` and all below it. An exclude is a name (of anything, at any depth) or, with a
/// slash, one path below the directory; what is below it is left out too. Pipes, sockets and devices are left out.
pub fn pack(root: &Path, excludes: &[Vec<u8>], output: &mut impl Write) -> Result<(), Refusal> {
    let metadata = fs::metadata(root)?;
    if !metadata.is_dir() {
        return Err(Refusal::new(Code::Invalid, format!("not a directory: {}", root.display())));
    }
    write_header(output, &metadata, b'5', b"./", b"", 0)?;
    let mut packer = Packer { root, excludes, output, linked: HashMap::new(), chunk: vec![0; CHUNK] };
    let mut open: Vec<(Vec<u8>, ReadDir)> = vec![(Vec::new(), fs::read_dir(root)?)];
    while let Some((prefix, entries)) = open.last_mut() {
        let Some(entry) = entries.next() else {
            open.pop();
            continue;
        };
        let name = [prefix, entry?.file_name().as_bytes()].concat();
        if packer.is_excluded(&name) {
            continue;
        }
        if let Some(folder) = packer.add(&name).map_err(|mut refusal| {
            refusal.message = format!("{}: {}", shown(&name), refusal.message);
            refusal
        })? {
            open.push(([&name[..], b"/"].concat(), folder));
        }
    }
    Ok(output.write_all(&[0; 2 * BLOCK])?)
}

struct Packer<'a, W> {
    root: &'a Path,
    excludes: &'a [Vec<u8>],
    output: &'a mut W,
    linked: HashMap<(u64, u64), Vec<u8>>,
    chunk: Vec<u8>,
}

impl<W: Write> Packer<'_, W> {
    fn is_excluded(&self, name: &[u8]) -> bool {
        let last = name.rsplit(|byte| *byte == b'/').next().unwrap_or(name);
        last.starts_with(UPLOAD_PREFIX)
            || self
                .excludes
                .iter()
                .any(|exclude| if exclude.contains(&b'/') { exclude == name } else { exclude == last })
    }

    /// Adds one entry; gives what is in it if it is a directory. An entry that has gone since is no entry.
    fn add(&mut self, name: &[u8]) -> Result<Option<ReadDir>, Refusal> {
        let path = self.root.join(PathBuf::from(std::ffi::OsStr::from_bytes(name)));
        let metadata = match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            found => found?,
        };
        let kind = metadata.file_type();
        if kind.is_dir() {
            let entries = fs::read_dir(&path)?;
            write_header(self.output, &metadata, b'5', &[name, b"/"].concat(), b"", 0)?;
            return Ok(Some(entries));
        }
        if kind.is_symlink() {
            let target = fs::read_link(&path)?;
            write_header(self.output, &metadata, b'2', name, target.as_os_str().as_bytes(), 0)?;
        } else if kind.is_file() && !self.add_link(&metadata, name)? {
            self.add_file(&path, name)?;
        }
        Ok(None)
    }

    /// True if the file was packed before under another name.
    fn add_link(&mut self, metadata: &Metadata, name: &[u8]) -> Result<bool, Refusal> {
        if metadata.nlink() < 2 {
            return Ok(false);
        }
        let number = (metadata.dev(), metadata.ino());
        if let Some(first) = self.linked.get(&number) {
            write_header(self.output, metadata, b'1', name, first, 0)?;
            return Ok(true);
        }
        if self.linked.len() < MAX_LINKED {
            self.linked.insert(number, name.to_vec());
        }
        Ok(false)
    }

    fn add_file(&mut self, path: &Path, name: &[u8]) -> Result<(), Refusal> {
        let mut file = OpenOptions::new().read(true).not_followed().open(path)?;
        let metadata = file.metadata()?;
        let size = metadata.size();
        write_header(self.output, &metadata, b'0', name, b"", size)?;
        let mut left = size;
        while left > 0 {
            let wanted = self.chunk.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let count = file.read(&mut self.chunk[..wanted])?;
            if count == 0 {
                return Err(Refusal::new(Code::Precondition, "became shorter while it was read"));
            }
            self.output.write_all(&self.chunk[..count])?;
            left -= count as u64;
        }
        self.output.write_all(&[0; BLOCK][..padding(size) as usize])?;
        Ok(())
    }
}

fn write_header(
    output: &mut impl Write,
    metadata: &Metadata,
    kind: u8,
    name: &[u8],
    link: &[u8],
    size: u64,
) -> Result<(), Refusal> {
    for (long, kind) in [(name, b'L'), (link, b'K')] {
        if long.len() > field::NAME.1 {
            let length = long.len() as u64 + 1;
            output.write_all(&plain(b"././@LongLink", kind, b"", [0o644, 0, 0], length, 0))?;
            output.write_all(long)?;
            output.write_all(&[0; BLOCK + 1][..1 + padding(length) as usize])?;
        }
    }
    let owner = [u64::from(metadata.mode() & 0o7777), u64::from(metadata.uid()), u64::from(metadata.gid())];
    output.write_all(&plain(name, kind, link, owner, size, metadata.mtime()))?;
    Ok(())
}

fn plain(name: &[u8], kind: u8, link: &[u8], owner: [u64; 3], size: u64, modified: i64) -> [u8; BLOCK] {
    let mut header = [0; BLOCK];
    put(&mut header, field::NAME, name);
    put(&mut header, field::LINK, link);
    put(&mut header, field::MAGIC, b"ustar  \0");
    header[field::KIND] = kind;
    for (value, place) in owner.into_iter().zip([field::MODE, field::UID, field::GID]) {
        put_number(&mut header, place, value as i64);
    }
    put_number(&mut header, field::SIZE, size as i64);
    put_number(&mut header, field::MODIFIED, modified);
    let sum = checksum(&header);
    put(&mut header, field::CHECKSUM, format!("{sum:06o}\0 ").as_bytes());
    header
}

fn put(header: &mut [u8; BLOCK], (offset, length): (usize, usize), value: &[u8]) {
    let count = value.len().min(length);
    header[offset..offset + count].copy_from_slice(&value[..count]);
}

/// Octal digits if they fit, otherwise a big-endian number with the first bit set.
fn put_number(header: &mut [u8; BLOCK], (offset, length): (usize, usize), value: i64) {
    let digits = format!("{value:0width$o}", width = length - 1);
    if value >= 0 && digits.len() < length {
        put(header, (offset, length), digits.as_bytes());
        return;
    }
    let bytes = i128::from(value).to_be_bytes();
    put(header, (offset, length), &bytes[bytes.len() - length..]);
    header[offset] |= 0x80;
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A header of a hostile tar.
    pub fn header(name: &[u8], kind: u8, link: &[u8], size: u64) -> Vec<u8> {
        plain(name, kind, link, [0o644, 0, 0], size, 0).to_vec()
    }

    pub fn tar(members: &[Vec<u8>]) -> Vec<u8> {
        [members.concat(), vec![0; 2 * BLOCK]].concat()
    }
}
