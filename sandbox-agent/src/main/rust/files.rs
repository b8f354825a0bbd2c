//! Files of the sandbox. Paths are absolute bytes without `..`; links are resolved by the sandbox's own kernel.

use crate::sys::at::{rename_without_replacing, O_NOFOLLOW};
use crate::sys::{O_CLOEXEC, O_NONBLOCK};
use crate::wire::{Code, FrameWriter, Refusal};
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Mode value of a put that means: as the file that is replaced, or 0644.
pub const KEEP_MODE: u32 = u32::MAX;
const DEFAULT_MODE: u32 = 0o644;
/// How the name of a file on its way in begins.
pub const UPLOAD_PREFIX: &[u8] = b".slate-upload-";

static UPLOADS: AtomicU64 = AtomicU64::new(0);

pub fn checked_path(bytes: &[u8]) -> Result<&Path, Refusal> {
    let path = Path::new(OsStr::from_bytes(bytes));
    let traverses = path.components().any(|component| component == Component::ParentDir);
    if path.is_absolute() && !traverses && !bytes.contains(&0) {
        Ok(path)
    } else {
        let shown = String::from_utf8_lossy(bytes);
        Err(Refusal::new(Code::Invalid, format!("path: {shown} (expected: an absolute path without ..)")))
    }
}

/// A file on its way in: readers see the old file or the whole new one.
pub struct Upload {
    target: PathBuf,
    temporary: PathBuf,
    file: File,
    committed: bool,
}

impl Upload {
    pub fn begin(target: &Path, mode: u32, parents: bool) -> io::Result<Upload> {
        let is_name = target.file_name().is_some();
        let folder = target.parent().filter(|_| is_name).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        if parents {
            fs::create_dir_all(folder)?;
        }
        let mode = match (mode, fs::metadata(target)) {
            (KEEP_MODE, Ok(old)) => old.mode() & 0o7777,
            (KEEP_MODE, Err(_)) => DEFAULT_MODE,
            (mode, _) => mode & 0o7777,
        };
        let number = UPLOADS.fetch_add(1, Ordering::Relaxed);
        let temporary = folder.join(format!(".slate-upload-{}-{number}", std::process::id()));
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary)?;
        let upload = Upload { target: target.to_path_buf(), temporary, file, committed: false };
        upload.file.set_permissions(Permissions::from_mode(mode))?;
        Ok(upload)
    }

    pub fn write(&mut self, data: &[u8]) -> io::Result<()> {
        self.file.write_all(data)
    }

    pub fn commit(mut self) -> io::Result<()> {
        fs::rename(&self.temporary, &self.target)?;
        self.committed = true;
        Ok(())
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if !self.committed {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Opens a regular file for reading at an offset; anything else could block or never end.
pub fn open(path: &Path, offset: u64) -> Result<(File, Metadata), Refusal> {
    let mut file = OpenOptions::new().read(true).custom_flags(O_NONBLOCK | O_CLOEXEC).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(Refusal::new(Code::Invalid, format!("not a regular file: {}", path.display())));
    }
    if offset > 0 {
        file.seek(SeekFrom::Start(offset))?;
    }
    Ok((file, metadata))
}

pub fn stat(path: &Path, follow: bool) -> io::Result<Metadata> {
    if follow {
        fs::metadata(path)
    } else {
        fs::symlink_metadata(path)
    }
}

/// Opening in a way that neither follows a link nor waits for a pipe.
pub trait NotFollowed {
    fn not_followed(&mut self) -> &mut Self;
}

impl NotFollowed for OpenOptions {
    fn not_followed(&mut self) -> &mut OpenOptions {
        self.custom_flags(O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    }
}

/// Sets permission bits; of a link, those of its target.
pub fn change_mode(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(mode & 0o7777))
}

/// Moves within one file system.
pub fn rename(from: &Path, to: &Path, overwrite: bool) -> io::Result<()> {
    if overwrite {
        fs::rename(from, to)
    } else {
        rename_without_replacing(from, to)
    }
}

/// Makes a directory with exactly this mode. With parents, missing ones are made and one that exists already is fine.
pub fn make_folder(path: &Path, mode: u32, parents: bool) -> io::Result<()> {
    if let (true, Some(parent)) = (parents, path.parent()) {
        DirBuilder::new().recursive(true).create(parent)?;
    }
    match DirBuilder::new().create(path) {
        Err(error) if parents && error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made.and_then(|()| change_mode(path, mode)),
    }
}

/// Removes a file, a link itself, or a folder; what lies in the folder only if recursive.
pub fn remove(path: &Path, recursive: bool) -> io::Result<()> {
    if !fs::symlink_metadata(path)?.is_dir() {
        fs::remove_file(path)
    } else if recursive {
        fs::remove_dir_all(path)
    } else {
        fs::remove_dir(path)
    }
}

/// Appends one entry: type, mode, size, modification time, owner, name.
pub fn write_entry<'a>(frame: FrameWriter<'a>, metadata: &Metadata, name: &[u8]) -> FrameWriter<'a> {
    let kind = metadata.file_type();
    let kind = match () {
        _ if kind.is_file() => 1,
        _ if kind.is_dir() => 2,
        _ if kind.is_symlink() => 3,
        _ if kind.is_fifo() => 4,
        _ if kind.is_socket() => 5,
        _ => 6,
    };
    frame
        .u8(kind)
        .u32(metadata.mode() & 0o7777)
        .u64(metadata.size())
        .i64(metadata.mtime())
        .u32(metadata.mtime_nsec() as u32)
        .u32(metadata.uid())
        .u32(metadata.gid())
        .bytes(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("slate-agent-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn refuses_relative_and_traversing_paths() {
        assert!(checked_path(b"/a/b").is_ok());
        for wrong in [&b"a"[..], b"", b"/a/../b", b"/..", b"/a\0b"] {
            assert!(checked_path(wrong).is_err());
        }
    }

    #[test]
    fn upload_is_invisible_until_committed_and_leaves_nothing_behind_if_not() {
        let folder = folder("upload");
        let target = folder.join("new");
        let mut upload = Upload::begin(&target, 0o751, false).unwrap();
        upload.write(b"hello").unwrap();
        assert!(!target.exists());
        upload.commit().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"hello");
        assert_eq!(fs::metadata(&target).unwrap().mode() & 0o7777, 0o751);

        drop(Upload::begin(&target, KEEP_MODE, false).unwrap());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);

        Upload::begin(&target, KEEP_MODE, false).unwrap().commit().unwrap();
        assert_eq!(fs::metadata(&target).unwrap().mode() & 0o7777, 0o751);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn upload_replaces_a_planted_link_instead_of_following_it() {
        let folder = folder("link");
        let victim = folder.join("victim");
        fs::write(&victim, "old").unwrap();
        let link = folder.join("link");
        std::os::unix::fs::symlink(&victim, &link).unwrap();

        let mut upload = Upload::begin(&link, 0o600, false).unwrap();
        upload.write(b"new").unwrap();
        upload.commit().unwrap();

        assert_eq!(fs::read(&victim).unwrap(), b"old");
        assert_eq!(fs::read(&link).unwrap(), b"new");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn opens_regular_files_only() {
        assert!(open(Path::new("/dev/zero"), 0).is_err());
        assert!(open(Path::new("/tmp"), 0).is_err());
        assert_eq!(open(Path::new("/no/such/file"), 0).unwrap_err().code, Code::NotFound);
    }
}
