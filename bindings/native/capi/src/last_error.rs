//! The error of the last call, for each thread.

use crate::text::CText;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::cell::RefCell;
use std::ffi::{c_char, c_int};

#[derive(Debug)]
pub(crate) struct CallError {
    pub kind: String,
    pub message: String,
    /// `ErrorReply` in src/embed/protocol.ts, if the engine made the error.
    pub json: Option<String>,
}

#[derive(Deserialize)]
struct ErrorReply {
    kind: String,
    message: String,
}

impl CallError {
    pub fn of_kind(kind: &str, message: impl Into<String>) -> CallError {
        CallError { kind: kind.into(), message: message.into(), json: None }
    }

    /// For wrong arguments.
    pub fn invalid(message: impl Into<String>) -> CallError {
        CallError::of_kind("bad-request", message)
    }

    pub fn internal(message: impl Into<String>) -> CallError {
        CallError::of_kind("internal", message)
    }

    pub fn cancelled() -> CallError {
        CallError::of_kind("aborted", "The call was cancelled.")
    }

    pub fn from_reply(reply: &RawValue) -> CallError {
        match serde_json::from_str::<ErrorReply>(reply.get()) {
            Ok(ErrorReply { kind, message }) => CallError { kind, message, json: Some(reply.get().into()) },
            Err(error) => CallError::internal(format!("the engine's error cannot be read ({error})")),
        }
    }

    /// The SA_ERR_* constants of the header.
    pub fn status(&self) -> c_int {
        match self.kind.as_str() {
            "bad-request" | "configuration" => -1,
            "timeout" => -3,
            "aborted" => -4,
            "healing" => -5,
            "internal" => -6,
            _ => -2,
        }
    }
}

#[derive(Default)]
struct LastError {
    message: CText,
    kind: CText,
    json: CText,
}

thread_local! {
    static LAST: RefCell<LastError> = RefCell::default();
}

pub(crate) fn clear() {
    // Fails only while the thread ends.
    let _ = LAST.try_with(|last| last.replace(LastError::default()));
}

pub(crate) fn keep(CallError { kind, message, json }: CallError) {
    let json = json.unwrap_or_else(|| serde_json::json!({ "kind": kind, "message": message }).to_string());
    let error = LastError { message: CText::without_nul(message), kind: kind.into(), json: json.into() };
    let _ = LAST.try_with(|last| last.replace(error));
}

fn read(part: fn(&LastError) -> &CText) -> *const c_char {
    LAST.try_with(|last| part(&last.borrow()).pointer()).unwrap_or_else(|_| CText::empty())
}

#[no_mangle]
pub extern "C" fn sa_get_last_error() -> *const c_char {
    read(|last| &last.message)
}

#[no_mangle]
pub extern "C" fn sa_get_last_error_kind() -> *const c_char {
    read(|last| &last.kind)
}

#[no_mangle]
pub extern "C" fn sa_get_last_error_json() -> *const c_char {
    read(|last| &last.json)
}
