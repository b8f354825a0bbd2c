//! Directories as tar streams: GNU long names, PAX understood, everything as bytes.

mod pack;
mod read;
mod unpack;

pub use pack::pack;
pub use unpack::unpack;

use crate::wire::{Code, Refusal};

const BLOCK: usize = 512;

/// Where the fields of a header are: (offset, length).
mod field {
    pub const NAME: (usize, usize) = (0, 100);
    pub const MODE: (usize, usize) = (100, 8);
    pub const UID: (usize, usize) = (108, 8);
    pub const GID: (usize, usize) = (116, 8);
    pub const SIZE: (usize, usize) = (124, 12);
    pub const MODIFIED: (usize, usize) = (136, 12);
    pub const CHECKSUM: (usize, usize) = (148, 8);
    pub const KIND: usize = 156;
    pub const LINK: (usize, usize) = (157, 100);
    pub const MAGIC: (usize, usize) = (257, 8);
    pub const PREFIX: (usize, usize) = (345, 155);
}

fn padding(size: u64) -> u64 {
    (BLOCK as u64 - size % BLOCK as u64) % BLOCK as u64
}

/// Sum of a header's bytes, its own field counted as spaces.
fn checksum(header: &[u8; BLOCK]) -> u64 {
    let own = field::CHECKSUM.0..field::CHECKSUM.0 + field::CHECKSUM.1;
    header.iter().enumerate().map(|(index, byte)| if own.contains(&index) { 32 } else { u64::from(*byte) }).sum()
}

fn invalid(message: impl std::fmt::Display) -> Refusal {
    Refusal::new(Code::Invalid, format!("tar: {message}"))
}

fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(&name[..name.len().min(200)]).into_owned()
}
