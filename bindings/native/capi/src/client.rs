//! Clients: creating them, and the calls of a client.

use crate::call::call;
use crate::last_error::CallError;
use crate::request::SARequest;
use crate::response::SAResponse;
use crate::text::{missing, optional, or_missing, parse_json, parse_members, required, sized, to_raw, Members};
use crate::{create, free, status};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{json, Value};
use simple_agents_engine::{healing_engine, process_engine, Engine};
use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

/// A client of the engine. After a fork the child opens it again, because it has an engine of its own.
pub struct SAClient {
    options: Members,
    /// The id of the process that opened it, and its handle there; 0 before.
    opened: AtomicU64,
}

#[derive(Deserialize)]
struct Opened {
    #[serde(alias = "stream")]
    client: u32,
}

/// The options pass as they are: a `Value` cannot hold every JSON text, such as half of a surrogate pair.
#[derive(Serialize)]
struct OpenCall<'a> {
    call: &'static str,
    options: &'a Members,
}

#[derive(Serialize)]
struct ModelCall<'a> {
    call: &'static str,
    client: u32,
    input: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    partials: Option<bool>,
}

/// What the callback of a stream gets.
#[derive(Clone, Copy, PartialEq)]
enum Pieces {
    Text,
    Events,
    Partials,
}

/// A result of `read-stream`, see src/embed/protocol.ts.
#[derive(Deserialize)]
struct StreamItem<'a> {
    #[serde(borrow)]
    event: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "or_missing")]
    partial: Option<&'a RawValue>,
    #[serde(borrow)]
    completion: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct TextDelta {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: String,
}

/// A non-zero result ends the stream.
type StreamCallback = Option<unsafe extern "C" fn(*const c_char, usize, *mut c_void) -> c_int>;

impl SAClient {
    fn open(options: Members) -> Result<SAClient, CallError> {
        let client = SAClient { options, opened: AtomicU64::new(0) };
        client.handle(engine()?)?;
        Ok(client)
    }

    fn handle(&self, engine: &Engine) -> Result<u32, CallError> {
        let current = self.opened.load(Ordering::Acquire);
        if let Some(handle) = of_this_process(current) {
            return Ok(handle);
        }
        let result = call(engine, &OpenCall { call: "open-client", options: &self.options })?;
        let handle = read_handle(&result)?;
        let opened = u64::from(std::process::id()) << 32 | u64::from(handle);
        match self.opened.compare_exchange(current, opened, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Ok(handle),
            // Another thread of this process was faster.
            Err(first) => {
                close(engine, handle);
                of_this_process(first).ok_or_else(|| CallError::internal("the process was forked during a call"))
            }
        }
    }

    fn complete(&self, request: &SARequest) -> Result<SAResponse, CallError> {
        let engine = engine()?;
        let client = self.handle(engine)?;
        let input = request.to_input();
        let asked = ModelCall { call: "complete", client, input: &input, partials: None };
        SAResponse::from_json(request.cancellation.call(engine, &asked)?)
    }

    fn stream(
        &self,
        request: &SARequest,
        pieces: Pieces,
        take: impl Fn(&str) -> bool,
    ) -> Result<SAResponse, CallError> {
        let engine = engine()?;
        let client = self.handle(engine)?;
        let partials = Some(pieces == Pieces::Partials);
        let input = request.to_input();
        let asked = ModelCall { call: "open-stream", client, input: &input, partials };
        let stream = read_handle(&request.cancellation.call(engine, &asked)?)?;
        read_stream(engine, stream, request, |item| Ok(piece_of(item, pieces)?.is_none_or(|piece| take(&piece))))
            // The engine has closed a stream that failed by itself, and then only says so.
            .inspect_err(|_| send(engine, &json!({ "call": "close-stream", "stream": stream })))
    }
}

/// Reads to the end, or until `take` returns false.
fn read_stream(
    engine: &Engine,
    stream: u32,
    request: &SARequest,
    take: impl Fn(&StreamItem<'_>) -> Result<bool, CallError>,
) -> Result<SAResponse, CallError> {
    let reading = json!({ "call": "read-stream", "stream": stream });
    loop {
        let json = request.cancellation.call(engine, &reading)?;
        let item: StreamItem = serde_json::from_str(&json).map_err(unreadable)?;
        if let Some(completion) = item.completion {
            return SAResponse::from_json(completion.get().into());
        }
        if !take(&item)? {
            return Err(CallError::cancelled());
        }
    }
}

impl Drop for SAClient {
    fn drop(&mut self) {
        let handle = of_this_process(self.opened.load(Ordering::Acquire));
        if let (Some(handle), Ok(engine)) = (handle, process_engine()) {
            close(engine, handle);
        }
    }
}

pub(crate) fn engine() -> Result<&'static Engine, CallError> {
    process_engine().map_err(CallError::internal)
}

fn of_this_process(opened: u64) -> Option<u32> {
    (opened != 0 && opened >> 32 == u64::from(std::process::id())).then_some(opened as u32)
}

fn close(engine: &Engine, client: u32) {
    send(engine, &json!({ "call": "close-client", "client": client }));
}

/// Does not wait for the reply.
fn send(engine: &Engine, call: &Value) {
    engine.call(&call.to_string(), Box::new(|_| ()));
}

fn read_handle(result: &str) -> Result<u32, CallError> {
    let Opened { client } = serde_json::from_str(result).map_err(unreadable)?;
    Ok(client)
}

fn unreadable(error: serde_json::Error) -> CallError {
    CallError::internal(format!("the engine's result cannot be read ({error})"))
}

/// The text for the callback, if it gets this item.
fn piece_of(item: &StreamItem<'_>, pieces: Pieces) -> Result<Option<String>, CallError> {
    let json = item.event.or(item.partial).map(RawValue::get).unwrap_or_default();
    if pieces != Pieces::Text {
        return Ok(Some(json.into()));
    }
    let TextDelta { kind, text } = serde_json::from_str(json).map_err(unreadable)?;
    Ok((kind == "text-delta").then_some(text))
}

#[no_mangle]
pub unsafe extern "C" fn sa_client_new(provider: *const c_char, api_key: *const c_char) -> *mut SAClient {
    create(|| {
        let provider = unsafe { required(provider, "provider") }?;
        let mut options = Members::from([("provider".into(), to_raw(&provider))]);
        if let Some(key) = unsafe { optional(api_key, "api_key") }?.filter(|key| !key.is_empty()) {
            options.insert("apiKey".into(), to_raw(&key));
        }
        SAClient::open(options)
    })
}

#[no_mangle]
pub unsafe extern "C" fn sa_client_new_with_options(options_json: *const c_char) -> *mut SAClient {
    create(|| SAClient::open(parse_members(unsafe { required(options_json, "options_json") }?, "options_json")?))
}

#[no_mangle]
pub unsafe extern "C" fn sa_client_free(client: *mut SAClient) {
    unsafe { free(client) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_complete(
    client: *mut SAClient,
    request: *const SARequest,
    response_out: *mut *mut SAResponse,
) -> c_int {
    unsafe { respond(client, request, response_out, SAClient::complete) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_stream_text(
    client: *mut SAClient,
    request: *const SARequest,
    callback: StreamCallback,
    user_data: *mut c_void,
    response_out: *mut *mut SAResponse,
) -> c_int {
    unsafe { stream(client, request, Pieces::Text, (callback, user_data), response_out) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_stream_events(
    client: *mut SAClient,
    request: *const SARequest,
    callback: StreamCallback,
    user_data: *mut c_void,
    response_out: *mut *mut SAResponse,
) -> c_int {
    unsafe { stream(client, request, Pieces::Events, (callback, user_data), response_out) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_stream_partials(
    client: *mut SAClient,
    request: *const SARequest,
    callback: StreamCallback,
    user_data: *mut c_void,
    response_out: *mut *mut SAResponse,
) -> c_int {
    unsafe { stream(client, request, Pieces::Partials, (callback, user_data), response_out) }
}

unsafe fn stream(
    client: *mut SAClient,
    request: *const SARequest,
    pieces: Pieces,
    (callback, user_data): (StreamCallback, *mut c_void),
    response_out: *mut *mut SAResponse,
) -> c_int {
    let work = |client: &SAClient, request: &SARequest| {
        let callback = callback.ok_or_else(|| missing("callback"))?;
        client.stream(request, pieces, |piece| {
            // With a NUL behind it, for callbacks that ignore the length.
            let text = crate::text::CText::from(piece.to_owned());
            unsafe { callback(text.pointer(), text.length(), user_data) == 0 }
        })
    };
    unsafe { respond(client, request, response_out, work) }
}

/// `response_out` is NULL after a failure. A caller that does not need the response can pass NULL.
unsafe fn respond(
    client: *mut SAClient,
    request: *const SARequest,
    response_out: *mut *mut SAResponse,
    work: impl FnOnce(&SAClient, &SARequest) -> Result<SAResponse, CallError>,
) -> c_int {
    status(|| {
        unsafe { give(response_out, None) };
        let client = unsafe { client.as_ref() }.ok_or_else(|| missing("client"))?;
        let request = unsafe { request.as_ref() }.ok_or_else(|| missing("request"))?;
        let response = work(client, request)?;
        unsafe { give(response_out, Some(response)) };
        Ok(())
    })
}

unsafe fn give(response_out: *mut *mut SAResponse, response: Option<SAResponse>) {
    if let Some(out) = unsafe { response_out.as_mut() } {
        *out = response.map_or(std::ptr::null_mut(), |response| Box::into_raw(Box::new(response)));
    }
}

#[derive(Serialize)]
struct HealCall<'a> {
    call: &'static str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Members>,
}

#[no_mangle]
pub unsafe extern "C" fn sa_heal(
    text: *const c_char,
    length: usize,
    schema_json: *const c_char,
    options_json: *const c_char,
    response_out: *mut *mut SAResponse,
) -> c_int {
    status(|| {
        unsafe { give(response_out, None) };
        let text = unsafe { sized(text, length, "text") }?;
        let schema = unsafe { optional(schema_json, "schema_json") }?;
        let options = unsafe { optional(options_json, "options_json") }?;
        let asked = HealCall {
            call: "heal",
            text,
            schema: schema.map(|json| parse_json(json, "schema_json")).transpose()?,
            options: options.map(|json| parse_members(json, "options_json")).transpose()?,
        };
        let engine = healing_engine().map_err(CallError::internal)?;
        let response = SAResponse::from_json(call(engine, &asked)?)?;
        unsafe { give(response_out, Some(response)) };
        Ok(())
    })
}
