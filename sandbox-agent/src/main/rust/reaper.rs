//! The children of this process: starts them and collects each that has ended, orphans included.

use crate::exec::Exec;
use crate::spawn::{spawn, Plan, StartFailure};
use crate::sys;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock, RwLockReadGuard};

#[derive(Default)]
pub struct Children {
    /// Held shared while a pid must stay valid (between start and registration, while signals are sent) and
    /// exclusively while a child is collected, which is what frees its pid.
    gate: RwLock<()>,
    running: Mutex<HashMap<i32, Arc<Exec>>>,
}

impl Children {
    pub fn start(&self, plan: &Plan, exec: &Arc<Exec>) -> Result<i32, StartFailure> {
        let _hold = self.hold_pids();
        let pid = spawn(plan)?;
        exec.main_started(pid);
        self.running.lock().unwrap().insert(pid, Arc::clone(exec));
        Ok(pid)
    }

    /// No pid of a child is freed while the guard lives.
    pub fn hold_pids(&self) -> RwLockReadGuard<'_, ()> {
        self.gate.read().unwrap()
    }

    pub fn holding_pids<T>(&self, action: impl FnOnce() -> T) -> T {
        let _hold = self.hold_pids();
        action()
    }

    pub fn running(&self) -> Vec<Arc<Exec>> {
        self.running.lock().unwrap().values().cloned().collect()
    }

    /// Collects every child that has ended by now.
    pub fn collect(&self) {
        loop {
            let gate = self.gate.write().unwrap();
            let Some((pid, status)) = sys::reap() else { return };
            let exec = self.running.lock().unwrap().remove(&pid);
            drop(gate);
            if let Some(exec) = exec {
                exec.main_ended(status);
            }
        }
    }
}
