//! Calls relative to an open directory, which never follow a link, and inotify.

use super::{check, ENOTDIR, O_CLOEXEC, O_NONBLOCK};
use std::ffi::{c_char, CString};
use std::fs::{File, OpenOptions, Permissions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

const O_WRONLY: i32 = 1;
const O_CREAT: i32 = 0o100;
const O_EXCL: i32 = 0o200;
#[cfg(target_arch = "aarch64")]
const O_DIRECTORY: i32 = 0o40000;
#[cfg(not(target_arch = "aarch64"))]
const O_DIRECTORY: i32 = 0o200000;
#[cfg(target_arch = "aarch64")]
pub const O_NOFOLLOW: i32 = 0o100000;
#[cfg(not(target_arch = "aarch64"))]
pub const O_NOFOLLOW: i32 = 0o400000;
pub const ELOOP: i32 = 40;
const AT_FDCWD: i32 = -100;
const AT_SYMLINK_NOFOLLOW: i32 = 0x100;
const RENAME_NOREPLACE: u32 = 1;
const UTIME_OMIT: i64 = (1 << 30) - 2;

pub const IN_MODIFY: u32 = 0x2;
pub const IN_ATTRIB: u32 = 0x4;
pub const IN_CLOSE_WRITE: u32 = 0x8;
pub const IN_MOVED_FROM: u32 = 0x40;
pub const IN_MOVED_TO: u32 = 0x80;
pub const IN_CREATE: u32 = 0x100;
pub const IN_DELETE: u32 = 0x200;
pub const IN_DELETE_SELF: u32 = 0x400;
pub const IN_MOVE_SELF: u32 = 0x800;
pub const IN_UNMOUNT: u32 = 0x2000;
pub const IN_Q_OVERFLOW: u32 = 0x4000;
pub const IN_IGNORED: u32 = 0x8000;
pub const IN_ONLYDIR: u32 = 0x0100_0000;
pub const IN_DONT_FOLLOW: u32 = 0x0200_0000;
pub const IN_ISDIR: u32 = 0x4000_0000;

#[repr(C)]
struct TimeSpec {
    seconds: i64,
    nanos: i64,
}

extern "C" {
    fn openat(folder: i32, name: *const c_char, flags: i32, ...) -> i32;
    fn mkdirat(folder: i32, name: *const c_char, mode: u32) -> i32;
    fn unlinkat(folder: i32, name: *const c_char, flags: i32) -> i32;
    fn symlinkat(target: *const c_char, folder: i32, name: *const c_char) -> i32;
    fn linkat(from: i32, from_name: *const c_char, to: i32, to_name: *const c_char, flags: i32) -> i32;
    fn utimensat(folder: i32, name: *const c_char, times: *const TimeSpec, flags: i32) -> i32;
    fn futimens(file: i32, times: *const TimeSpec) -> i32;
    fn renameat2(from: i32, from_name: *const c_char, to: i32, to_name: *const c_char, flags: u32) -> i32;
    fn inotify_init1(flags: i32) -> i32;
    fn inotify_add_watch(fd: i32, path: *const c_char, mask: u32) -> i32;
    fn inotify_rm_watch(fd: i32, watch: i32) -> i32;
}

/// A directory held open: names below it are resolved in it, wherever its path leads meanwhile.
pub struct Folder(OwnedFd);

impl Folder {
    /// Opens a directory by its path, following links as any program does.
    pub fn open(path: &Path) -> io::Result<Folder> {
        let file = OpenOptions::new().read(true).custom_flags(O_DIRECTORY | O_CLOEXEC).open(path)?;
        Ok(Folder(file.into()))
    }

    /// Opens a directory in this one; a link is an error. Without O_DIRECTORY: gVisor takes that for a trailing slash,
    /// and follows the link although O_NOFOLLOW forbids it.
    pub fn child(&self, name: &[u8]) -> io::Result<Folder> {
        let flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
        let fd = check(unsafe { openat(self.raw(), text(name)?.as_ptr(), flags) })?;
        let file = unsafe { File::from_raw_fd(fd) };
        if file.metadata()?.is_dir() {
            Ok(Folder(file.into()))
        } else {
            Err(io::Error::from_raw_os_error(ENOTDIR))
        }
    }

    /// Creates a file that must not exist yet.
    pub fn create(&self, name: &[u8]) -> io::Result<File> {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
        let fd = check(unsafe { openat(self.raw(), text(name)?.as_ptr(), flags, 0o600u32) })?;
        Ok(unsafe { File::from_raw_fd(fd) })
    }

    pub fn make_folder(&self, name: &[u8]) -> io::Result<()> {
        done(unsafe { mkdirat(self.raw(), text(name)?.as_ptr(), 0o755) })
    }

    /// Removes anything but a directory.
    pub fn remove(&self, name: &[u8]) -> io::Result<()> {
        done(unsafe { unlinkat(self.raw(), text(name)?.as_ptr(), 0) })
    }

    pub fn symlink(&self, name: &[u8], target: &[u8]) -> io::Result<()> {
        done(unsafe { symlinkat(text(target)?.as_ptr(), self.raw(), text(name)?.as_ptr()) })
    }

    /// Gives a file of another directory a name in this one; a link is linked itself.
    pub fn hard_link(&self, name: &[u8], from: &Folder, from_name: &[u8]) -> io::Result<()> {
        done(unsafe { linkat(from.raw(), text(from_name)?.as_ptr(), self.raw(), text(name)?.as_ptr(), 0) })
    }

    pub fn set_attributes(&self, mode: u32, modified: i64) -> io::Result<()> {
        let file = File::from(self.0.try_clone()?);
        set_attributes(&file, mode, modified)
    }

    pub fn set_link_time(&self, name: &[u8], modified: i64) -> io::Result<()> {
        let times = times(modified);
        done(unsafe { utimensat(self.raw(), text(name)?.as_ptr(), times.as_ptr(), AT_SYMLINK_NOFOLLOW) })
    }

    fn raw(&self) -> i32 {
        self.0.as_raw_fd()
    }
}

/// Sets permission bits and modification time (seconds) of an open file.
pub fn set_attributes(file: &File, mode: u32, modified: i64) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(mode))?;
    done(unsafe { futimens(file.as_raw_fd(), times(modified).as_ptr()) })
}

/// Renames; what is already there is an error.
pub fn rename_without_replacing(from: &Path, to: &Path) -> io::Result<()> {
    let (from, to) = (text(from.as_os_str().as_bytes())?, text(to.as_os_str().as_bytes())?);
    done(unsafe { renameat2(AT_FDCWD, from.as_ptr(), AT_FDCWD, to.as_ptr(), RENAME_NOREPLACE) })
}

/// A queue of changes that reading never waits for.
pub fn inotify() -> io::Result<File> {
    let fd = check(unsafe { inotify_init1(O_CLOEXEC | O_NONBLOCK) })?;
    Ok(unsafe { File::from_raw_fd(fd) })
}

/// Adds a path to the queue: the number that its events will carry.
pub fn add_watch(queue: &File, path: &[u8], mask: u32) -> io::Result<i32> {
    check(unsafe { inotify_add_watch(queue.as_raw_fd(), text(path)?.as_ptr(), mask) })
}

pub fn remove_watch(queue: &File, watch: i32) {
    unsafe { inotify_rm_watch(queue.as_raw_fd(), watch) };
}

fn times(modified: i64) -> [TimeSpec; 2] {
    [TimeSpec { seconds: 0, nanos: UTIME_OMIT }, TimeSpec { seconds: modified, nanos: 0 }]
}

fn text(bytes: &[u8]) -> io::Result<CString> {
    CString::new(bytes).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))
}

fn done(result: i32) -> io::Result<()> {
    check(result).map(|_| ())
}
