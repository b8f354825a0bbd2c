//! All execs that the agent knows: the running ones and the latest finished ones.

use crate::exec::{Exec, Request};
use crate::reaper::Children;
use crate::sys;
use crate::wire::{Code, Refusal};
use crate::workers::Workers;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

const MAX_RUNNING: usize = 1024;
const FINISHED_KEPT: usize = 256;
const FINISHED_BYTES_KEPT: usize = 64 << 20;

#[derive(Default)]
struct Known {
    by_id: HashMap<String, Arc<Exec>>,
    /// Oldest first.
    finished: VecDeque<String>,
}

#[derive(Default)]
pub struct ExecTable {
    known: Mutex<Known>,
    workers: Arc<Workers>,
}

impl ExecTable {
    /// Starts a command in the background; its events are in the log of the returned exec.
    pub fn start(self: &Arc<Self>, id: &str, request: Request, children: &Arc<Children>) -> Result<Arc<Exec>, Refusal> {
        check_id(id)?;
        let exec = Arc::new(Exec::new(id.to_string(), request.argv[0].clone()));
        {
            let mut known = self.known.lock().unwrap();
            if known.by_id.contains_key(id) {
                return Err(Refusal::new(Code::AlreadyExists, format!("exec exists already: {id}")));
            }
            if known.by_id.len() - known.finished.len() >= MAX_RUNNING {
                return Err(Refusal::new(Code::Precondition, format!("running commands: {MAX_RUNNING} (the limit)")));
            }
            known.by_id.insert(id.to_string(), Arc::clone(&exec));
        }
        let (table, children, running) = (Arc::clone(self), Arc::clone(children), Arc::clone(&exec));
        let follow = move || running.run(&request, &children, || table.note_finished(&running.id));
        if let Err(error) = self.workers.run(follow) {
            self.known.lock().unwrap().by_id.remove(id);
            return Err(error.into());
        }
        Ok(exec)
    }

    pub fn find(&self, id: &str) -> Result<Arc<Exec>, Refusal> {
        let known = self.known.lock().unwrap();
        let missing = || Refusal::new(Code::NotFound, format!("no such exec: {id}"));
        known.by_id.get(id).cloned().ok_or_else(missing)
    }

    pub fn all(&self) -> Vec<Arc<Exec>> {
        let mut all: Vec<_> = self.known.lock().unwrap().by_id.values().cloned().collect();
        all.sort_by_key(|exec| exec.created);
        all
    }

    /// Forgets a finished exec and its output.
    pub fn remove(&self, id: &str) -> Result<(), Refusal> {
        let mut known = self.known.lock().unwrap();
        let missing = || Refusal::new(Code::NotFound, format!("no such exec: {id}"));
        if !known.by_id.get(id).ok_or_else(missing)?.log.is_finished() {
            return Err(Refusal::new(Code::Precondition, format!("exec is running: {id}")));
        }
        known.by_id.remove(id);
        known.finished.retain(|finished| finished != id);
        drop(known);
        sys::release_free_memory();
        Ok(())
    }

    fn note_finished(&self, id: &str) {
        let mut known = self.known.lock().unwrap();
        if known.by_id.contains_key(id) && !known.finished.iter().any(|finished| finished == id) {
            known.finished.push_back(id.to_string());
        }
        let size = |known: &Known, id: &String| known.by_id.get(id).map_or(0, |exec| exec.log.bytes());
        let mut total: usize = known.finished.iter().map(|id| size(&known, id)).sum();
        while known.finished.len() > FINISHED_KEPT || (total > FINISHED_BYTES_KEPT && known.finished.len() > 1) {
            if let Some(oldest) = known.finished.pop_front() {
                total -= size(&known, &oldest);
                known.by_id.remove(&oldest);
            }
        }
    }
}

fn check_id(id: &str) -> Result<(), Refusal> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if (1..=128).contains(&id.len()) && id.bytes().all(allowed) {
        Ok(())
    } else {
        Err(Refusal::new(Code::Invalid, "exec id (expected: 1 to 128 letters, digits, '-', '_' or '.')"))
    }
}
