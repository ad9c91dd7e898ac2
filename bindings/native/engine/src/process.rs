//! The engines of this process. Each is started by its first call and lives as long as the process.
//!
//! An engine belongs to the process that started it: after a fork the child starts its own. There is no lock that a fork
//! could leave locked, only a pointer that is swapped. The engine of the parent stays in the memory of the child, without
//! its threads, and is never used there.

use crate::Engine;
use std::process;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::Arc;

/// The engine for calls to models.
pub fn process_engine() -> Result<&'static Engine, String> {
    static CURRENT: Slot = Slot::new();
    CURRENT.get()
}

/// The engine for healing, which can keep its thread busy for long and must not delay the answers of models.
pub fn healing_engine() -> Result<&'static Engine, String> {
    static CURRENT: Slot = Slot::new();
    CURRENT.get()
}

struct OwnedEngine {
    process: u32,
    engine: Engine,
}

struct Slot(AtomicPtr<OwnedEngine>);

impl Slot {
    const fn new() -> Slot {
        Slot(AtomicPtr::new(ptr::null_mut()))
    }

    fn get(&self) -> Result<&'static Engine, String> {
        let current = self.0.load(Ordering::Acquire);
        match of_this_process(current) {
            Some(engine) => Ok(engine),
            None => self.start(current),
        }
    }

    /// If several threads start an engine at the same time, the first is kept and the others end.
    fn start(&self, replaced: *mut OwnedEngine) -> Result<&'static Engine, String> {
        let engine = Engine::start(Arc::new(|line| eprintln!("simple_agents: {line}")))?;
        let started = Box::into_raw(Box::new(OwnedEngine { process: process::id(), engine }));
        match self.0.compare_exchange(replaced, started, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Ok(unsafe { &(*started).engine }),
            Err(first) => {
                drop(unsafe { Box::from_raw(started) });
                of_this_process(first).ok_or_else(|| "the process was forked while the engine was starting".into())
            }
        }
    }
}

fn of_this_process(pointer: *mut OwnedEngine) -> Option<&'static Engine> {
    // What was stored is never freed.
    let current = unsafe { pointer.as_ref() }?;
    (current.process == process::id()).then_some(&current.engine)
}
