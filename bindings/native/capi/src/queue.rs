//! Calls that no thread waits for: one queue receives the replies of many.

use crate::client::engine;
use crate::last_error::CallError;
use crate::response::read;
use crate::text::{missing, sized, CText};
use crate::{create, free, guard, status};
use serde::Deserialize;
use simple_agents_engine::healing_engine;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::ffi::{c_char, c_int};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// It holds at most one reply for each call that was started.
pub struct SAQueue {
    /// The child of a fork has the queue, but not the threads that fill it.
    process: u32,
    shared: Arc<Shared>,
}

pub struct SAReply {
    id: u64,
    json: CText,
}

#[derive(Default)]
struct Shared {
    replies: Mutex<VecDeque<String>>,
    arrived: Condvar,
}

/// What the queue itself has to know of a call, see src/embed/protocol.ts.
#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    call: Cow<'a, str>,
}

#[derive(Deserialize)]
struct ReplyId {
    id: u64,
}

impl SAQueue {
    fn new() -> SAQueue {
        SAQueue { process: std::process::id(), shared: Arc::default() }
    }

    fn start(&self, json: &str) -> Result<u64, CallError> {
        self.check_process()?;
        let Call { call } = serde_json::from_str(json)
            .map_err(|error| CallError::invalid(format!("call_json: must be an object with a call ({error})")))?;
        let engine = if call == "heal" { healing_engine().map_err(CallError::internal)? } else { engine()? };
        let shared = self.shared.clone();
        Ok(engine.call(json, Box::new(move |reply| shared.push(reply))))
    }

    fn take(&self, timeout_ms: i64) -> Result<Option<SAReply>, CallError> {
        self.check_process()?;
        let json = match u64::try_from(timeout_ms) {
            Err(_) => self.shared.wait(),
            Ok(limit) => self.shared.wait_for(Duration::from_millis(limit)),
        };
        json.map(SAReply::from_json).transpose()
    }

    fn check_process(&self) -> Result<(), CallError> {
        if self.process == std::process::id() {
            return Ok(());
        }
        Err(CallError::invalid("queue: was created by another process; create one in this process"))
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.replies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs on the engine's thread.
    fn push(&self, reply: String) {
        self.lock().push_back(reply);
        self.arrived.notify_one();
    }

    fn wait(&self) -> Option<String> {
        let waited = self.arrived.wait_while(self.lock(), |replies| replies.is_empty());
        waited.unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    fn wait_for(&self, limit: Duration) -> Option<String> {
        let waited = self.arrived.wait_timeout_while(self.lock(), limit, |replies| replies.is_empty());
        waited.unwrap_or_else(PoisonError::into_inner).0.pop_front()
    }
}

impl SAReply {
    fn from_json(json: String) -> Result<SAReply, CallError> {
        let ReplyId { id } = serde_json::from_str(&json)
            .map_err(|error| CallError::internal(format!("the engine's reply cannot be read ({error})")))?;
        Ok(SAReply { id, json: json.into() })
    }
}

unsafe fn queue_of<'a>(queue: *const SAQueue) -> Result<&'a SAQueue, CallError> {
    unsafe { queue.as_ref() }.ok_or_else(|| missing("queue"))
}

#[no_mangle]
pub extern "C" fn sa_queue_new() -> *mut SAQueue {
    create(|| Ok(SAQueue::new()))
}

#[no_mangle]
pub unsafe extern "C" fn sa_queue_free(queue: *mut SAQueue) {
    unsafe { free(queue) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_queue_start(queue: *const SAQueue, call_json: *const c_char, length: usize) -> u64 {
    guard(|| unsafe { queue_of(queue) }?.start(unsafe { sized(call_json, length, "call_json") }?)).unwrap_or(0)
}

#[no_mangle]
pub unsafe extern "C" fn sa_queue_cancel(queue: *const SAQueue, id: u64) -> c_int {
    status(|| {
        unsafe { queue_of(queue) }?.check_process()?;
        engine()?.cancel(id);
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn sa_queue_take(queue: *const SAQueue, timeout_ms: i64) -> *mut SAReply {
    let taken = guard(|| unsafe { queue_of(queue) }?.take(timeout_ms));
    taken.ok().flatten().map_or(std::ptr::null_mut(), |reply| Box::into_raw(Box::new(reply)))
}

#[no_mangle]
pub unsafe extern "C" fn sa_reply_get_id(reply: *const SAReply) -> u64 {
    unsafe { reply.as_ref() }.map_or(0, |reply| reply.id)
}

#[no_mangle]
pub unsafe extern "C" fn sa_reply_get_json(reply: *const SAReply, length_out: *mut usize) -> *const c_char {
    unsafe { read(reply, length_out, |reply| Some(&reply.json)) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_reply_free(reply: *mut SAReply) {
    unsafe { free(reply) }
}
