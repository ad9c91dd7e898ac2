//! The C interface; `bindings/c/simple_agents.h` documents each function.
//!
//! Invariants:
//!   1. No panic and no JavaScript error crosses the border: every function that does more than read goes through `guard`.
//!   2. NULL is a valid argument of every function; where a value is needed it is an error, never a crash.
//!   3. A text that C gets ends with a NUL and lives as long as its parent, or as the error of its thread.

mod call;
mod client;
mod last_error;
mod queue;
mod request;
mod response;
mod text;

use last_error::CallError;
use std::ffi::c_int;
use std::panic::{catch_unwind, AssertUnwindSafe};

const SA_OK: c_int = 0;

/// Runs the work of a function that returns a status, and keeps its error for `sa_get_last_error`.
fn status(work: impl FnOnce() -> Result<(), CallError>) -> c_int {
    match guard(work) {
        Ok(()) => SA_OK,
        Err(code) => code,
    }
}

/// The error's status, after it was kept.
fn guard<T>(work: impl FnOnce() -> Result<T, CallError>) -> Result<T, c_int> {
    last_error::clear();
    let panicked = |_| Err(CallError::internal("the library panicked; please report it"));
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(panicked);
    result.map_err(|error| {
        let code = error.status();
        last_error::keep(error);
        code
    })
}

/// Gives C a new object, or NULL.
fn create<T>(work: impl FnOnce() -> Result<T, CallError>) -> *mut T {
    guard(work).map_or(std::ptr::null_mut(), |value| Box::into_raw(Box::new(value)))
}

/// Frees what `create` made.
///
/// # Safety
/// The pointer is NULL or comes from `create`, and is not used any more.
unsafe fn free<T>(pointer: *mut T) {
    if !pointer.is_null() {
        let _ = catch_unwind(AssertUnwindSafe(|| drop(unsafe { Box::from_raw(pointer) })));
    }
}
