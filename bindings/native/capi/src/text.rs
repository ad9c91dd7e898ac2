//! Texts from C and for C.

use crate::last_error::CallError;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::ffi::{c_char, CStr};

/// A text with a NUL behind it. It may contain others.
#[derive(Default)]
pub(crate) struct CText(Vec<u8>);

impl CText {
    pub fn empty() -> *const c_char {
        c"".as_ptr()
    }

    /// For texts that C reads without a length: it would not see what follows a NUL.
    pub fn without_nul(text: String) -> CText {
        text.replace('\0', "\u{FFFD}").into()
    }

    pub fn pointer(&self) -> *const c_char {
        if self.0.is_empty() {
            CText::empty()
        } else {
            self.0.as_ptr().cast()
        }
    }

    /// Without the NUL at the end.
    pub fn length(&self) -> usize {
        self.0.len().saturating_sub(1)
    }
}

impl From<String> for CText {
    fn from(text: String) -> CText {
        let mut bytes = text.into_bytes();
        bytes.push(0);
        CText(bytes)
    }
}

/// A text that must be there.
///
/// # Safety
/// The pointer is NULL, or a text that ends with a NUL and lives as long as the result.
pub(crate) unsafe fn required<'a>(pointer: *const c_char, name: &str) -> Result<&'a str, CallError> {
    unsafe { optional(pointer, name) }?.ok_or_else(|| missing(name))
}

/// # Safety
/// As for `required`.
pub(crate) unsafe fn optional<'a>(pointer: *const c_char, name: &str) -> Result<Option<&'a str>, CallError> {
    if pointer.is_null() {
        return Ok(None);
    }
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map(Some).map_err(|_| not_utf8(name))
}

/// # Safety
/// The pointer is NULL, or has this many readable bytes that live as long as the result.
pub(crate) unsafe fn sized<'a>(pointer: *const c_char, length: usize, name: &str) -> Result<&'a str, CallError> {
    if pointer.is_null() {
        return Err(missing(name));
    }
    if length > isize::MAX as usize {
        return Err(CallError::invalid(format!("{name}: the length {length} is too large")));
    }
    let bytes = unsafe { std::slice::from_raw_parts(pointer.cast(), length) };
    std::str::from_utf8(bytes).map_err(|_| not_utf8(name))
}

pub(crate) fn missing(name: &str) -> CallError {
    CallError::invalid(format!("{name}: must not be NULL"))
}

fn not_utf8(name: &str) -> CallError {
    CallError::invalid(format!("{name}: is not UTF-8 text"))
}

/// The members of an object. Their values keep the order of their own members, which matters in schemas.
pub(crate) type Members = BTreeMap<String, Box<RawValue>>;

pub(crate) fn parse_members(json: &str, name: &str) -> Result<Members, CallError> {
    serde_json::from_str(json).map_err(|error| CallError::invalid(format!("{name}: must be a JSON object ({error})")))
}

pub(crate) fn parse_json(json: &str, name: &str) -> Result<Box<RawValue>, CallError> {
    serde_json::from_str(json).map_err(|error| CallError::invalid(format!("{name}: is not JSON ({error})")))
}

/// For members whose value may be `null`: only a missing member is `None`.
pub(crate) fn or_missing<'de, D: Deserializer<'de>, T: Deserialize<'de>>(member: D) -> Result<Option<T>, D::Error> {
    T::deserialize(member).map(Some)
}

/// Only values that always have a JSON form are passed.
pub(crate) fn to_raw(value: &impl serde::Serialize) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap_or_default()
}
