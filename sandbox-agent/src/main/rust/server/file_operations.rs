//! The operations on files.

use super::{flag, refused, Connection, Outcome};
use crate::files::{self, Upload};
use crate::wire::{read_frame, reply, request, FrameWriter, Refusal, Values, CHUNK, MAX_FRAME};
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

const ENTRIES_BYTES: usize = 32 * 1024;

impl Connection<'_> {
    pub(super) fn put(&mut self, mut values: Values) -> Outcome {
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

    pub(super) fn get(&mut self, mut values: Values) -> Outcome {
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

    pub(super) fn entries(&mut self, folder: &Path) -> Outcome {
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
}
