//! A call to an engine that its thread waits for, and that another thread can cancel.

use crate::last_error::CallError;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use simple_agents_engine::Engine;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{mpsc, Mutex, MutexGuard, PoisonError};

#[derive(Deserialize)]
struct Reply<'a> {
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// The JSON of the result.
pub(crate) fn call(engine: &Engine, call: &impl Serialize) -> Result<String, CallError> {
    read_reply(&engine.call_blocking(&to_json(call)?))
}

fn to_json(call: &impl Serialize) -> Result<String, CallError> {
    serde_json::to_string(call).map_err(|error| CallError::internal(error.to_string()))
}

fn read_reply(reply: &str) -> Result<String, CallError> {
    let unreadable = |reason: String| CallError::internal(format!("the engine's reply cannot be read ({reason})"));
    let Reply { result, error } = serde_json::from_str(reply).map_err(|error| unreadable(error.to_string()))?;
    match (result, error) {
        (_, Some(error)) => Err(CallError::from_reply(error)),
        (Some(result), None) => Ok(result.get().into()),
        (None, None) => Err(unreadable("it is empty".into())),
    }
}

/// Cancels the calls that run with it, and those that follow.
#[derive(Default)]
pub(crate) struct Cancellation {
    is_cancelled: AtomicBool,
    running: Mutex<HashSet<u64>>,
}

impl Cancellation {
    /// As `call`.
    pub fn call(&self, engine: &Engine, call: &impl Serialize) -> Result<String, CallError> {
        if self.is_cancelled.load(Ordering::SeqCst) {
            return Err(CallError::cancelled());
        }
        let (sender, receiver) = mpsc::sync_channel(1);
        let json = to_json(call)?;
        let id = engine.call(&json, Box::new(move |reply| drop(sender.send(reply))));
        self.running().insert(id);
        // Checked after the call can be found by `cancel`, so that one of the two sees the other.
        if self.is_cancelled.load(Ordering::SeqCst) {
            engine.cancel(id);
        }
        let reply = receiver.recv();
        self.running().remove(&id);
        read_reply(&reply.map_err(|_| CallError::internal("the engine has ended"))?)
    }

    pub fn cancel(&self, engine: &Engine) {
        self.is_cancelled.store(true, Ordering::SeqCst);
        for id in self.running().iter() {
            engine.cancel(*id);
        }
    }

    fn running(&self) -> MutexGuard<'_, HashSet<u64>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
