//! Pseudo-terminals: the command holds the far end as its controlling terminal, the agent the near one.

use crate::sys;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    pub columns: u16,
    pub rows: u16,
}

/// What a terminal takes for the end of the input, unless the command has chosen another character.
const END_OF_INPUT: u8 = 4;

/// A new terminal as (the agent's end, which never blocks, and the command's end).
pub fn open(size: Size, owner: Option<u32>) -> io::Result<(File, OwnedFd)> {
    let near = device("/dev/ptmx")?;
    let number = sys::unlock_terminal(&near)?;
    let far = device(&format!("/dev/pts/{number}"))?;
    if let Some(uid) = owner {
        // So that the user may open its terminal by name; not every kernel allows it, and programs rarely need it.
        let _ = std::os::unix::fs::fchown(&far, Some(uid), None);
    }
    sys::resize_terminal(&near, size.columns, size.rows)?;
    sys::set_nonblocking(&near)?;
    Ok((near, far.into()))
}

pub fn resize(near: &File, size: Size) -> io::Result<()> {
    sys::resize_terminal(near, size.columns, size.rows)
}

/// The character that ends the input of this terminal now.
pub fn end_of_input(near: &File) -> u8 {
    sys::terminal_end_character(near).unwrap_or(END_OF_INPUT)
}

/// Without it, the first terminal that the agent opens would become its own.
fn device(path: &str) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).custom_flags(sys::O_NOCTTY).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    const SIZE: Size = Size { columns: 100, rows: 30 };

    #[test]
    fn passes_bytes_both_ways_and_keeps_its_size() {
        let (mut near, far) = open(SIZE, None).unwrap();
        let mut far = File::from(far);
        near.write_all(b"in\n").unwrap();
        let mut line = [0; 16];

        assert_eq!(far.read(&mut line).unwrap(), 3);
        assert_eq!(&line[..3], b"in\n");
        assert_eq!(sys::terminal_size(&far).unwrap(), (100, 30));
        resize(&near, Size { columns: 80, rows: 24 }).unwrap();
        assert_eq!(sys::terminal_size(&far).unwrap(), (80, 24));
    }

    #[test]
    fn end_character_ends_the_input() {
        let (mut near, far) = open(SIZE, None).unwrap();
        near.write_all(&[end_of_input(&near)]).unwrap();

        assert_eq!(File::from(far).read(&mut [0; 16]).unwrap(), 0);
    }

    #[test]
    fn near_end_fails_when_nobody_holds_the_far_end() {
        let (mut near, far) = open(SIZE, None).unwrap();
        drop(far);

        assert!(near.read(&mut [0; 16]).is_err());
    }
}
