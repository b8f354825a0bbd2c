//! Threads that are kept for the next command: to make one, and to touch fresh memory, costs more under gVisor than all
//! else that a short command needs.

use crate::sys;
use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::sync::{mpsc, Arc, Mutex};
use std::thread;

const IDLE_KEPT: usize = 16;
pub const STACK: usize = 256 * 1024;

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
pub struct Workers {
    idle: Mutex<Vec<mpsc::Sender<Job>>>,
}

impl Workers {
    /// Runs the job on a thread that runs nothing else meanwhile; an error means that it will not run.
    pub fn run(self: &Arc<Self>, job: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let mut job: Job = Box::new(job);
        let idle = self.idle.lock().unwrap().pop();
        if let Some(worker) = idle {
            match worker.send(job) {
                Ok(()) => return Ok(()),
                Err(unsent) => job = unsent.0,
            }
        }
        let workers = Arc::clone(self);
        thread::Builder::new().stack_size(STACK).spawn(move || workers.work(job)).map(drop)
    }

    fn work(&self, first: Job) {
        let (sender, jobs) = mpsc::channel();
        first();
        loop {
            {
                let mut idle = self.idle.lock().unwrap();
                if idle.len() >= IDLE_KEPT {
                    return;
                }
                idle.push(sender.clone());
            }
            match jobs.recv() {
                Ok(job) => job(),
                Err(_) => return,
            }
        }
    }
}

/// Lends memory of this thread that stays with it; its content is whatever the last use left.
pub fn with_scratch<T>(bytes: usize, action: impl FnOnce(&mut [u8]) -> T) -> T {
    thread_local!(static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) });
    SCRATCH.with(|scratch| {
        let mut memory = scratch.borrow_mut();
        if memory.len() < bytes {
            // Fresh zeroed memory, which is not touched before it is used.
            *memory = vec![0; bytes];
        }
        action(&mut memory[..bytes])
    })
}

/// The event of this thread, by which others wake it; may carry a wake-up that was meant for an earlier job.
pub fn wake_event() -> io::Result<Arc<File>> {
    thread_local!(static EVENT: RefCell<Option<Arc<File>>> = const { RefCell::new(None) });
    EVENT.with(|event| {
        let mut kept = event.borrow_mut();
        if kept.is_none() {
            *kept = Some(Arc::new(sys::event()?));
        }
        Ok(Arc::clone(kept.as_ref().unwrap()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_every_job_and_keeps_threads() {
        let workers: Arc<Workers> = Arc::default();
        let (sender, done) = mpsc::channel();

        for round in 0..3 {
            for _ in 0..2 * IDLE_KEPT {
                let sender = sender.clone();
                workers.run(move || sender.send(round).unwrap()).unwrap();
            }
            for _ in 0..2 * IDLE_KEPT {
                assert_eq!(done.recv().unwrap(), round);
            }
        }

        assert!(workers.idle.lock().unwrap().len() <= IDLE_KEPT);
    }

    #[test]
    fn scratch_is_lent_again() {
        with_scratch(10, |memory| memory[9] = 7);

        assert_eq!(with_scratch(10, |memory| memory[9]), 7);
    }
}
