//! Changes below a directory, from inotify, made into one event per change.
//!
//! Names that are known tell a new file from a replaced one and keep a change from being told twice when a new
//! directory is read while its events arrive. Changes of content wait a little, so that create, write and close
//! become one event.

use crate::files::UPLOAD_PREFIX;
use crate::sys::at::*;
use crate::wire::{Code, Refusal};
use std::collections::{HashMap, HashSet, VecDeque};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, Instant};

/// After a file was closed, or its mode changed: what follows within it is the same change.
const QUIET: Duration = Duration::from_millis(50);
/// A new file that stays open is told after this.
const NEW: Duration = Duration::from_millis(200);
/// A file that stays open and is written is told this often.
const OPEN: Duration = Duration::from_secs(1);

const MAX_FOLDERS: usize = 10_000;
const MAX_NAMES: usize = 250_000;
const MASK: u32 = IN_MODIFY
    | IN_ATTRIB
    | IN_CLOSE_WRITE
    | IN_MOVED_FROM
    | IN_MOVED_TO
    | IN_CREATE
    | IN_DELETE
    | IN_DELETE_SELF
    | IN_MOVE_SELF
    | IN_ONLYDIR;

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
pub enum Kind {
    Created = 1,
    Modified = 2,
    Removed = 3,
    Moved = 4,
    Overflow = 5,
}

#[derive(Debug, PartialEq)]
pub struct Change {
    pub kind: Kind,
    pub path: Vec<u8>,
    /// Of a move: where it was.
    pub from: Vec<u8>,
}

struct Watched {
    path: Vec<u8>,
    names: HashSet<Vec<u8>>,
}

struct Pending {
    created: bool,
    due: Instant,
}

struct MovedFrom {
    cookie: u32,
    path: Vec<u8>,
    at: Instant,
}

/// One watched directory; used by one thread.
pub struct Watch {
    queue: File,
    recursive: bool,
    root: i32,
    root_path: Vec<u8>,
    folders: HashMap<i32, Watched>,
    names: usize,
    pending: HashMap<Vec<u8>, Pending>,
    moved: Option<MovedFrom>,
    ready: VecDeque<Change>,
    ended: bool,
}

impl Watch {
    pub fn begin(path: &[u8], recursive: bool) -> Result<Watch, Refusal> {
        let mut root_path = path.to_vec();
        while root_path.len() > 1 && root_path.ends_with(b"/") {
            root_path.pop();
        }
        let mut watch = Watch {
            queue: inotify()?,
            recursive,
            root: -1,
            root_path,
            folders: HashMap::new(),
            names: 0,
            pending: HashMap::new(),
            moved: None,
            ready: VecDeque::new(),
            ended: false,
        };
        watch.read_all()?;
        if watch.is_full() {
            let message = format!("more than {MAX_FOLDERS} directories or {MAX_NAMES} names to watch");
            return Err(Refusal::new(Code::Precondition, message));
        }
        Ok(watch)
    }

    pub fn queue(&self) -> &File {
        &self.queue
    }

    /// The directory itself is gone: nothing more will come after what is ready.
    pub fn is_ended(&self) -> bool {
        self.ended
    }

    /// What can be told now, in order.
    pub fn take(&mut self, now: Instant) -> VecDeque<Change> {
        if self.moved.as_ref().map_or(false, |moved| moved.at + QUIET <= now) {
            self.settle_move();
        }
        let mut due: Vec<(Instant, Vec<u8>)> = self
            .pending
            .iter()
            .filter(|(_, pending)| self.ended || pending.due <= now)
            .map(|(path, pending)| (pending.due, path.clone()))
            .collect();
        due.sort();
        for (_, path) in due {
            self.tell_pending(&path);
        }
        std::mem::take(&mut self.ready)
    }

    /// When `take` will have something without a new event.
    pub fn next_due(&self) -> Option<Instant> {
        let moved = self.moved.as_ref().map(|moved| moved.at + QUIET);
        self.pending.values().map(|pending| pending.due).chain(moved).min()
    }

    /// Reads what is in the queue.
    pub fn read(&mut self) -> io::Result<()> {
        let mut buffer = [0; 16 * 1024];
        let count = match (&self.queue).read(&mut buffer) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
            read => read?,
        };
        let mut rest = &buffer[..count];
        while rest.len() >= 16 {
            let number = |at: usize| u32::from_ne_bytes([rest[at], rest[at + 1], rest[at + 2], rest[at + 3]]);
            let (watch, mask, cookie, length) = (number(0) as i32, number(4), number(8), number(12) as usize);
            let name = &rest[16..(16 + length).min(rest.len())];
            let name = &name[..name.iter().position(|byte| *byte == 0).unwrap_or(name.len())];
            let name = name.to_vec();
            rest = &rest[(16 + length).min(rest.len())..];
            self.event(watch, mask, cookie, &name, Instant::now());
        }
        Ok(())
    }

    fn event(&mut self, watch: i32, mask: u32, cookie: u32, name: &[u8], now: Instant) {
        if mask & IN_Q_OVERFLOW != 0 {
            self.start_again();
            return;
        }
        if watch == self.root && mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT) != 0 {
            self.settle_move();
            self.tell_all_pending();
            self.tell(Kind::Removed, self.root_path.clone());
            self.ended = true;
            return;
        }
        if mask & IN_IGNORED != 0 {
            self.forget(watch);
            return;
        }
        if self.ended || name.is_empty() {
            return;
        }
        let Some(folder) = self.folders.get(&watch) else {
            return;
        };
        let path = joined(&folder.path, name);
        let is_folder = mask & IN_ISDIR != 0;
        match mask & MASK & !IN_ONLYDIR {
            IN_CREATE => self.appeared(watch, name, path, is_folder, now + NEW),
            IN_DELETE => {
                self.drop_name(watch, name);
                self.disappeared(path);
            }
            IN_MOVED_FROM => {
                self.settle_move();
                self.drop_name(watch, name);
                self.moved = Some(MovedFrom { cookie, path, at: now });
            }
            IN_MOVED_TO => self.arrived(watch, name, path, is_folder, cookie, now),
            IN_MODIFY => self.modified(path, now + OPEN, false),
            IN_ATTRIB if !is_folder => self.modified(path, now + QUIET, false),
            IN_CLOSE_WRITE => self.modified(path, now + QUIET, true),
            _ => {}
        }
    }

    fn modified(&mut self, path: Vec<u8>, due: Instant, only_known: bool) {
        if is_upload(&path) {
            return;
        }
        if let Some(pending) = self.pending.get_mut(&path) {
            if only_known || due < pending.due {
                pending.due = due;
            }
        } else if !only_known {
            self.pending.insert(path, Pending { created: false, due });
        }
    }

    fn appeared(&mut self, watch: i32, name: &[u8], path: Vec<u8>, is_folder: bool, due: Instant) {
        if is_upload(&path) || !self.add_name(watch, name) {
            return;
        }
        if is_folder {
            self.tell(Kind::Created, path.clone());
            if self.recursive {
                self.add_folder(&path, Some(due));
            }
        } else {
            self.pending.insert(path, Pending { created: true, due });
        }
    }

    fn disappeared(&mut self, path: Vec<u8>) {
        if is_upload(&path) {
            return;
        }
        match self.pending.get(&path) {
            Some(pending) if pending.created => self.tell_pending(&path),
            _ => drop(self.pending.remove(&path)),
        }
        self.tell(Kind::Removed, path);
    }

    /// The second half of a move within the watched directories, or something from elsewhere.
    fn arrived(&mut self, watch: i32, name: &[u8], path: Vec<u8>, is_folder: bool, cookie: u32, now: Instant) {
        let from = match self.moved.take() {
            Some(moved) if moved.cookie == cookie => Some(moved.path),
            other => {
                self.moved = other;
                None
            }
        };
        let is_new_file = from
            .as_ref()
            .map_or(true, |from| is_upload(from) || self.pending.get(from).map_or(false, |pending| pending.created));
        match from {
            Some(from) if !is_new_file => {
                self.tell_pending(&from);
                self.pending.remove(&path);
                self.add_name(watch, name);
                if is_folder {
                    self.rename_folders(&from, &path);
                }
                self.ready.push_back(Change { kind: Kind::Moved, path, from });
            }
            from => {
                if let Some(from) = from {
                    self.pending.remove(&from);
                }
                let is_known = self.folders.get(&watch).map_or(false, |folder| folder.names.contains(name));
                if is_known && !is_folder {
                    let created = self.pending.get(&path).map_or(false, |pending| pending.created);
                    self.pending.insert(path, Pending { created, due: now + QUIET });
                } else {
                    self.appeared(watch, name, path, is_folder, now + QUIET);
                }
            }
        }
    }

    /// A move whose second half did not come led out of what is watched.
    fn settle_move(&mut self) {
        if let Some(moved) = self.moved.take() {
            let below = joined(&moved.path, b"");
            let gone: Vec<i32> = self
                .folders
                .iter()
                .filter(|(_, folder)| folder.path == moved.path || folder.path.starts_with(&below))
                .map(|(watch, _)| *watch)
                .collect();
            for watch in gone {
                remove_watch(&self.queue, watch);
                self.forget(watch);
            }
            self.disappeared(moved.path);
        }
    }

    fn rename_folders(&mut self, from: &[u8], to: &[u8]) {
        let below = joined(from, b"");
        let renamed = |path: &[u8]| [to, &path[from.len()..]].concat();
        for folder in self.folders.values_mut() {
            if folder.path == from || folder.path.starts_with(&below) {
                folder.path = renamed(&folder.path);
            }
        }
        let inside: Vec<Vec<u8>> = self.pending.keys().filter(|path| path.starts_with(&below)).cloned().collect();
        for path in inside {
            if let Some(pending) = self.pending.remove(&path) {
                self.pending.insert(renamed(&path), pending);
            }
        }
    }

    /// Events were lost: says so, and learns anew what is there.
    fn start_again(&mut self) {
        self.pending.clear();
        self.moved = None;
        self.tell(Kind::Overflow, self.root_path.clone());
        match inotify() {
            Ok(queue) => self.queue = queue,
            Err(_) => self.ended = true,
        }
        if !self.ended && self.read_all().is_err() {
            self.tell(Kind::Removed, self.root_path.clone());
            self.ended = true;
        }
    }

    fn read_all(&mut self) -> io::Result<()> {
        self.folders.clear();
        self.names = 0;
        self.root = add_watch(&self.queue, &self.root_path, MASK)?;
        self.fill(self.root, &self.root_path.clone(), None)
    }

    /// Watches a directory below; with a time, what is already in it counts as new.
    fn add_folder(&mut self, path: &[u8], new: Option<Instant>) {
        if self.is_full() {
            self.give_up();
        } else if let Ok(watch) = add_watch(&self.queue, path, MASK | IN_DONT_FOLLOW) {
            // If it has gone meanwhile, its own events say so.
            let _ = self.fill(watch, path, new);
        }
    }

    fn fill(&mut self, watch: i32, path: &[u8], new: Option<Instant>) -> io::Result<()> {
        if let Some(old) = self.folders.insert(watch, Watched { path: path.to_vec(), names: HashSet::new() }) {
            self.names -= old.names.len();
        }
        for entry in fs::read_dir(OsStr::from_bytes(path))? {
            let entry = entry?;
            let name = entry.file_name();
            let is_folder = entry.file_type().map_or(false, |kind| kind.is_dir());
            let child = joined(path, name.as_bytes());
            if let Some(due) = new {
                self.appeared(watch, name.as_bytes(), child, is_folder, due);
            } else if !is_upload(&child) && self.add_name(watch, name.as_bytes()) && is_folder && self.recursive {
                self.add_folder(&child, None);
            }
        }
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.folders.len() >= MAX_FOLDERS || self.names >= MAX_NAMES
    }

    /// Too much to know it all: the reader must look itself.
    fn give_up(&mut self) {
        if !self.ended {
            self.tell_all_pending();
            self.tell(Kind::Overflow, self.root_path.clone());
            self.ended = true;
        }
    }

    /// True if the name was not there.
    fn add_name(&mut self, watch: i32, name: &[u8]) -> bool {
        if self.names >= MAX_NAMES {
            self.give_up();
            return false;
        }
        let is_new = self.folders.get_mut(&watch).map_or(false, |folder| folder.names.insert(name.to_vec()));
        self.names += usize::from(is_new);
        is_new
    }

    fn drop_name(&mut self, watch: i32, name: &[u8]) {
        let was_there = self.folders.get_mut(&watch).map_or(false, |folder| folder.names.remove(name));
        self.names -= usize::from(was_there);
    }

    fn forget(&mut self, watch: i32) {
        if let Some(folder) = self.folders.remove(&watch) {
            self.names -= folder.names.len();
        }
    }

    fn tell(&mut self, kind: Kind, path: Vec<u8>) {
        self.ready.push_back(Change { kind, path, from: Vec::new() });
    }

    fn tell_pending(&mut self, path: &[u8]) {
        if let Some(pending) = self.pending.remove(path) {
            self.tell(if pending.created { Kind::Created } else { Kind::Modified }, path.to_vec());
        }
    }

    fn tell_all_pending(&mut self) {
        let mut paths: Vec<Vec<u8>> = self.pending.keys().cloned().collect();
        paths.sort();
        for path in paths {
            self.tell_pending(&path);
        }
    }
}

fn joined(folder: &[u8], name: &[u8]) -> Vec<u8> {
    if folder.ends_with(b"/") {
        [folder, name].concat()
    } else {
        [folder, b"/", name].concat()
    }
}

fn is_upload(path: &[u8]) -> bool {
    path.rsplit(|byte| *byte == b'/').next().map_or(false, |name| name.starts_with(UPLOAD_PREFIX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Upload;
    use std::path::{Path, PathBuf};
    use std::thread::sleep;

    struct Scene {
        folder: PathBuf,
        watch: Watch,
    }

    impl Scene {
        fn new(name: &str, recursive: bool) -> Scene {
            let folder = std::env::temp_dir().join(format!("slate-watch-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(folder.join("there")).unwrap();
            fs::write(folder.join("old"), "old").unwrap();
            let watch = Watch::begin(folder.as_os_str().as_bytes(), recursive).unwrap();
            Scene { folder, watch }
        }

        fn changes(&mut self) -> Vec<String> {
            let mut seen = Vec::new();
            for _ in 0..16 {
                self.watch.read().unwrap();
                for change in self.watch.take(Instant::now()) {
                    let short = |path: &[u8]| {
                        let path = Path::new(OsStr::from_bytes(path));
                        path.strip_prefix(&self.folder).map_or("?".into(), |path| path.display().to_string())
                    };
                    let from = if change.from.is_empty() { String::new() } else { short(&change.from) + " " };
                    seen.push(format!("{:?} {from}{}", change.kind, short(&change.path)));
                }
                sleep(Duration::from_millis(20));
            }
            seen
        }
    }

    #[test]
    fn each_change_is_told_once() {
        let mut scene = Scene::new("once", true);
        let folder = scene.folder.clone();

        fs::write(folder.join("a"), "1").unwrap();
        assert_eq!(scene.changes(), ["Created a"]);
        fs::write(folder.join("a"), "2").unwrap();
        assert_eq!(scene.changes(), ["Modified a"]);
        fs::rename(folder.join("a"), folder.join("there/b")).unwrap();
        assert_eq!(scene.changes(), ["Moved a there/b"]);
        fs::remove_file(folder.join("there/b")).unwrap();
        assert_eq!(scene.changes(), ["Removed there/b"]);
        fs::write(folder.join("c"), "1").unwrap();
        fs::remove_file(folder.join("c")).unwrap();
        assert_eq!(scene.changes(), ["Created c", "Removed c"]);
    }

    #[test]
    fn an_upload_is_one_change_of_its_target() {
        let mut scene = Scene::new("upload", false);
        for (name, told) in [("new", "Created new"), ("old", "Modified old")] {
            let mut upload = Upload::begin(&scene.folder.join(name), 0o600, false).unwrap();
            upload.write(b"content").unwrap();
            upload.commit().unwrap();
            assert_eq!(scene.changes(), [told]);
        }
    }

    #[test]
    fn new_directories_are_watched_with_what_is_in_them() {
        let mut scene = Scene::new("new", true);
        fs::create_dir_all(scene.folder.join("x/y")).unwrap();
        fs::write(scene.folder.join("x/y/z"), "1").unwrap();
        assert_eq!(scene.changes(), ["Created x", "Created x/y", "Created x/y/z"]);
        fs::rename(scene.folder.join("x"), scene.folder.join("w")).unwrap();
        fs::write(scene.folder.join("w/y/z"), "2").unwrap();
        assert_eq!(scene.changes(), ["Moved x w", "Modified w/y/z"]);
        fs::remove_dir_all(scene.folder.join("w")).unwrap();
        assert_eq!(scene.changes(), ["Removed w/y/z", "Removed w/y", "Removed w"]);
    }

    #[test]
    fn without_recursion_only_the_directory_itself_is_watched() {
        let mut scene = Scene::new("flat", false);
        fs::write(scene.folder.join("there/deep"), "1").unwrap();
        fs::rename(scene.folder.join("old"), scene.folder.join("there/old")).unwrap();
        assert_eq!(scene.changes(), ["Removed old"]);
    }

    #[test]
    fn the_end_of_the_directory_ends_the_watch() {
        let mut scene = Scene::new("end", true);
        fs::remove_dir_all(&scene.folder).unwrap();
        let changes = scene.changes();
        assert_eq!(changes.last().unwrap(), "Removed ");
        assert!(scene.watch.is_ended());
    }
}
