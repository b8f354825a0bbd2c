//! Unpacks a tar that anybody may have made below one directory, and nowhere else.
//!
//! Every name is resolved part by part from the open directory, links are never followed, so neither names nor links
//! of the tar nor links that are already there lead outside.

use super::read::{Kind, Member, TarReader};
use super::{invalid, shown};
use crate::sys::at::{self, Folder};
use crate::wire::{Refusal, CHUNK};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

/// Each level holds a descriptor.
const MAX_DEPTH: usize = 200;

/// Makes the directory and its parents if missing. What was unpacked before a failure stays.
pub fn unpack(target: &Path, input: impl Read) -> Result<(), Refusal> {
    fs::create_dir_all(target)?;
    let mut place = Place { root: Level::new(Vec::new(), Folder::open(target)?), levels: Vec::new() };
    let mut tar = TarReader::new(input);
    let mut chunk = vec![0; CHUNK];
    while let Some(member) = tar.next()? {
        place.put(&member, &mut tar, &mut chunk).map_err(|refusal| named(refusal, &member.name))?;
    }
    Ok(place.leave(0)?)
}

/// Where unpacking is: the open directories from the target down to that of the latest member.
struct Place {
    root: Level,
    levels: Vec<Level>,
}

struct Level {
    name: Vec<u8>,
    folder: Folder,
    /// Mode and time, which are set when the directory is left: its own members would change the time.
    attributes: Option<(u32, i64)>,
}

impl Level {
    fn new(name: Vec<u8>, folder: Folder) -> Level {
        Level { name, folder, attributes: None }
    }

    fn finish(&self) -> io::Result<()> {
        self.attributes.map_or(Ok(()), |(mode, modified)| self.folder.set_attributes(mode, modified))
    }
}

impl Place {
    fn put(&mut self, member: &Member, tar: &mut TarReader<impl Read>, chunk: &mut [u8]) -> Result<(), Refusal> {
        let path = parts(&member.name)?;
        if member.kind == Kind::Folder {
            self.enter(&path)?.attributes = Some((member.mode, member.modified));
            return Ok(());
        }
        let Some((name, parents)) = path.split_last() else {
            return Err(invalid("a member without a name (expected: a directory)"));
        };
        match member.kind {
            Kind::File => {
                let folder = &self.enter(parents)?.folder;
                let mut file = replacing(folder, name, || folder.create(name))?;
                copy(tar, &mut file, chunk)?;
                at::set_attributes(&file, member.mode, member.modified)?;
            }
            Kind::Symlink => {
                let folder = &self.enter(parents)?.folder;
                replacing(folder, name, || folder.symlink(name, &member.link))?;
                folder.set_link_time(name, member.modified)?;
            }
            Kind::HardLink => {
                let link = parts(&member.link)?;
                let (from_name, from_parents) =
                    link.split_last().ok_or_else(|| invalid("a hard link to the directory itself"))?;
                let from = self.find(from_parents)?;
                if link != path {
                    let folder = &self.enter(parents)?.folder;
                    replacing(folder, name, || folder.hard_link(name, &from, from_name))?;
                }
            }
            Kind::Folder => {}
        }
        Ok(())
    }

    /// Goes to a directory, making what is missing.
    fn enter(&mut self, path: &[&[u8]]) -> Result<&mut Level, Refusal> {
        if path.len() > MAX_DEPTH {
            return Err(invalid(format!("more than {MAX_DEPTH} directories deep")));
        }
        let common = self.levels.iter().zip(path).take_while(|(level, name)| level.name == **name).count();
        self.leave(common)?;
        for name in &path[common..] {
            let here = &self.levels.last().unwrap_or(&self.root).folder;
            let folder = match here.child(name) {
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    here.make_folder(name)?;
                    here.child(name)
                }
                found => found,
            };
            self.levels.push(Level::new(name.to_vec(), folder.map_err(not_a_folder)?));
        }
        Ok(self.levels.last_mut().unwrap_or(&mut self.root))
    }

    /// Goes up until so many levels are left.
    fn leave(&mut self, keep: usize) -> io::Result<()> {
        while self.levels.len() > keep {
            if let Some(level) = self.levels.pop() {
                level.finish()?;
            }
        }
        if keep == 0 {
            self.root.finish()?;
        }
        Ok(())
    }

    /// Opens a directory that is there already.
    fn find(&self, path: &[&[u8]]) -> Result<Folder, Refusal> {
        let mut folder = self.root.folder.child(b".")?;
        for name in path {
            folder = folder.child(name).map_err(not_a_folder)?;
        }
        Ok(folder)
    }
}

fn parts(name: &[u8]) -> Result<Vec<&[u8]>, Refusal> {
    let parts: Vec<&[u8]> = name.split(|byte| *byte == b'/').filter(|part| !part.is_empty() && *part != b".").collect();
    if name.starts_with(b"/") || name.contains(&0) || parts.contains(&&b".."[..]) {
        return Err(invalid(format!("{} (expected: a relative path without ..)", shown(name))));
    }
    Ok(parts)
}

/// Makes something; what has the name already, unless a directory, goes away first.
fn replacing<T>(folder: &Folder, name: &[u8], make: impl Fn() -> io::Result<T>) -> io::Result<T> {
    match make() {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            folder.remove(name)?;
            make()
        }
        made => made,
    }
}

fn copy(tar: &mut TarReader<impl Read>, file: &mut File, chunk: &mut [u8]) -> Result<(), Refusal> {
    loop {
        match tar.read_body(chunk)? {
            0 => return Ok(()),
            count => file.write_all(&chunk[..count])?,
        }
    }
}

fn not_a_folder(error: io::Error) -> Refusal {
    match error.kind() {
        ErrorKind::NotFound => error.into(),
        _ if matches!(error.raw_os_error(), Some(crate::sys::ENOTDIR | crate::sys::at::ELOOP)) => {
            invalid("leads through a link or a file (expected: directories)")
        }
        _ => error.into(),
    }
}

fn named(mut refusal: Refusal, name: &[u8]) -> Refusal {
    if !refusal.message.contains(&shown(name)) {
        refusal.message = format!("{}: {}", shown(name), refusal.message);
    }
    refusal
}

#[cfg(test)]
mod tests {
    use super::super::pack::tests::{header, tar};
    use super::*;
    use crate::wire::Code;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{symlink, MetadataExt, PermissionsExt};
    use std::path::PathBuf;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("slate-unpack-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("in")).unwrap();
        fs::write(folder.join("victim"), "old").unwrap();
        folder
    }

    fn refused(name: &str, members: &[u8]) {
        let folder = folder(name);
        let refusal = unpack(&folder.join("in"), members).unwrap_err();
        assert!(matches!(refusal.code, Code::Invalid | Code::NotFound), "{name}: {}", refusal.message);
        assert_eq!(fs::read(folder.join("victim")).unwrap(), b"old", "{name}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "{name}");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn nothing_leaves_the_directory() {
        refused("dots", &tar(&[header(b"../victim", b'0', b"", 0)]));
        refused("inner-dots", &tar(&[header(b"a/../../victim", b'0', b"", 0)]));
        refused("absolute", &tar(&[header(b"/tmp/victim", b'0', b"", 0)]));
        refused("hard-link-out", &tar(&[header(b"a", b'1', b"../victim", 0)]));
        refused("hard-link-absolute", &tar(&[header(b"a", b'1', b"/etc/passwd", 0)]));
        refused("device", &tar(&[header(b"a", b'3', b"", 0)]));
        refused("pipe", &tar(&[header(b"a", b'6', b"", 0)]));
        refused("sparse", &tar(&[header(b"a", b'S', b"", 0)]));
        refused("through-own-link", &tar(&[header(b"a", b'2', b"..", 0), header(b"a/victim", b'0', b"", 0)]));
        refused("hard-link-through-link", &tar(&[header(b"a", b'2', b"..", 0), header(b"b", b'1', b"a/victim", 0)]));
        refused("file-as-root", &tar(&[header(b".", b'0', b"", 0)]));
        refused("no-end", &header(b"a", b'0', b"", 0));
        refused("short", &[header(b"a", b'0', b"", 5000), vec![0; 512]].concat());
        refused("deep", &tar(&[header(&b"a/".repeat(40).repeat(6)[..99], b'5', b"", 9)]));
    }

    #[test]
    fn planted_links_are_not_followed() {
        let folder = folder("planted");
        symlink("../victim", folder.join("in/file")).unwrap();
        symlink("..", folder.join("in/folder")).unwrap();

        unpack(&folder.join("in"), &tar(&[header(b"file", b'0', b"", 0)])[..]).unwrap();
        assert!(unpack(&folder.join("in"), &tar(&[header(b"folder/victim", b'0', b"", 0)])[..]).is_err());

        assert_eq!(fs::read(folder.join("victim")).unwrap(), b"old");
        assert!(fs::symlink_metadata(folder.join("in/file")).unwrap().is_file());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_was_packed_comes_out_the_same() {
        let folder = folder("round");
        let from = folder.join("in");
        let long = "long-name-".repeat(20);
        let strange = from.join(std::ffi::OsStr::from_bytes(b"new\nline-\xff\xfe"));
        fs::create_dir_all(from.join("sub").join(&long)).unwrap();
        fs::write(from.join("sub").join(&long).join("file"), vec![7; 70_000]).unwrap();
        fs::write(&strange, "strange").unwrap();
        fs::set_permissions(&strange, fs::Permissions::from_mode(0o751)).unwrap();
        fs::hard_link(&strange, from.join("same")).unwrap();
        symlink("/no/where", from.join("link")).unwrap();
        fs::create_dir(from.join("skipped")).unwrap();
        at::set_attributes(&File::open(from.join("sub")).unwrap(), 0o700, 1_000_000_000).unwrap();

        let mut packed = Vec::new();
        super::super::pack(&from, &[b"skipped".to_vec()], &mut packed).unwrap();
        let to = folder.join("out");
        unpack(&to, &packed[..]).unwrap();

        let copy = to.join(strange.file_name().unwrap());
        assert_eq!(fs::read(to.join("sub").join(&long).join("file")).unwrap(), vec![7; 70_000]);
        assert_eq!(fs::read(&copy).unwrap(), b"strange");
        assert_eq!(fs::metadata(&copy).unwrap().mode() & 0o7777, 0o751);
        assert_eq!(fs::metadata(&copy).unwrap().ino(), fs::metadata(to.join("same")).unwrap().ino());
        assert_eq!(fs::read_link(to.join("link")).unwrap(), Path::new("/no/where"));
        assert_eq!(fs::metadata(to.join("sub")).unwrap().mtime(), 1_000_000_000);
        assert_eq!(fs::metadata(to.join("sub")).unwrap().mode() & 0o7777, 0o700);
        assert!(!to.join("skipped").exists());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_name_that_comes_twice_is_the_last_one() {
        let folder = folder("twice");
        let first = [header(b"a", b'0', b"", 3), vec![b'1'; 3], vec![0; 509]].concat();

        unpack(&folder.join("in"), &tar(&[first, header(b"a", b'0', b"", 0)])[..]).unwrap();

        assert_eq!(fs::read(folder.join("in/a")).unwrap(), b"");
        fs::remove_dir_all(folder).unwrap();
    }
}
