//! `simple_agents._native`: calls to the engine, as JSON. The Python package around it makes values of the replies.
//!
//! Invariants:
//!   1. A thread that waits has released the interpreter. The engine's own threads never take it.
//!   2. A wait is made of short slices, with a look at the signals between them, so Ctrl-C ends it.

mod reply_queue;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use simple_agents_engine::{healing_engine, process_engine, Engine};
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError};
use std::time::Duration;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::reply_queue::ReplyQueue;
    #[pymodule_export]
    use super::{call, heal, send};
}

/// The longest time between a signal and its handler.
const SLICE: Duration = Duration::from_millis(20);

/// Sends a call and waits for its reply. An exception of a signal handler cancels the call.
#[pyfunction]
fn call(py: Python<'_>, json: &str) -> PyResult<String> {
    wait_for_reply(py, engine(py)?, json)
}

/// Sends a call to the engine for healing, so that a large text does not delay the answers of models.
#[pyfunction]
fn heal(py: Python<'_>, json: &str) -> PyResult<String> {
    wait_for_reply(py, started(py, healing_engine)?, json)
}

/// Sends a call whose reply does not matter. Returns at once.
#[pyfunction]
fn send(py: Python<'_>, json: &str) -> PyResult<()> {
    engine(py)?.call(json, Box::new(|_| ()));
    Ok(())
}

/// The engine for calls to models. The first call of a process starts it.
pub(crate) fn engine(py: Python<'_>) -> PyResult<&'static Engine> {
    started(py, process_engine)
}

fn started(py: Python<'_>, start: fn() -> Result<&'static Engine, String>) -> PyResult<&'static Engine> {
    py.detach(start).map_err(PyRuntimeError::new_err)
}

fn wait_for_reply(py: Python<'_>, engine: &Engine, json: &str) -> PyResult<String> {
    let (sender, receiver) = sync_channel(1);
    let id = engine.call(json, Box::new(move |reply| drop(sender.send(reply))));
    wait(py, receiver).inspect_err(|_| engine.cancel(id))
}

fn wait(py: Python<'_>, mut receiver: Receiver<String>) -> PyResult<String> {
    loop {
        let (result, returned) = py.detach(move || (receiver.recv_timeout(SLICE), receiver));
        receiver = returned;
        match result {
            Ok(reply) => return Ok(reply),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(PyRuntimeError::new_err("the engine has ended")),
        }
    }
}
