//! Responses: what a call resulted in, as texts for C.

use crate::free;
use crate::last_error::CallError;
use crate::text::{or_missing, CText};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::ffi::{c_char, c_int};

/// The result of a completion or of healing. All texts live as long as it.
pub struct SAResponse {
    json: CText,
    content: CText,
    value: Option<CText>,
    model: CText,
    stop_reason: CText,
    tool_calls: Vec<ToolCall>,
    usage: Option<Usage>,
    cost: Option<f64>,
    confidence: Option<f64>,
    message: Option<Box<RawValue>>,
}

struct ToolCall {
    id: CText,
    name: CText,
    arguments: CText,
    error: Option<CText>,
}

/// `TypedCompletion` in src/client/typed.ts, or `HealResult` in src/heal/option.ts.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Completion {
    text: Option<String>,
    #[serde(default, deserialize_with = "or_missing")]
    value: Option<Box<RawValue>>,
    #[serde(default)]
    model: String,
    #[serde(default)]
    stop_reason: String,
    #[serde(default)]
    tool_calls: Vec<ToolCallBlock>,
    usage: Option<Usage>,
    cost: Option<f64>,
    confidence: Option<f64>,
    message: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct ToolCallBlock {
    id: String,
    name: String,
    #[serde(default)]
    input: Box<RawValue>,
    error: Option<String>,
}

#[derive(Deserialize)]
struct Usage {
    input: f64,
    output: f64,
    #[serde(default)]
    missing: bool,
}

#[derive(Deserialize)]
struct AssistantMessage {
    content: Box<RawValue>,
}

impl SAResponse {
    pub(crate) fn from_json(json: String) -> Result<SAResponse, CallError> {
        let completion: Completion = serde_json::from_str(&json)
            .map_err(|error| CallError::internal(format!("the response cannot be read ({error})")))?;
        // Healing has a value and no text of a model.
        let value = completion.value.map(|value| value.get().to_owned());
        let content = completion.text.or_else(|| value.clone()).unwrap_or_default();
        Ok(SAResponse {
            json: json.into(),
            content: content.into(),
            value: value.map(CText::from),
            model: CText::without_nul(completion.model),
            stop_reason: CText::without_nul(completion.stop_reason),
            tool_calls: completion.tool_calls.into_iter().map(ToolCall::from).collect(),
            usage: completion.usage.filter(|usage| !usage.missing),
            cost: completion.cost,
            confidence: completion.confidence,
            message: completion.message,
        })
    }

    /// The message of the model, for the next request.
    pub(crate) fn message(&self) -> Option<Box<RawValue>> {
        let AssistantMessage { content } = serde_json::from_str(self.message.as_ref()?.get()).ok()?;
        RawValue::from_string(format!(r#"{{"role":"assistant","content":{}}}"#, content.get())).ok()
    }
}

impl From<ToolCallBlock> for ToolCall {
    fn from(block: ToolCallBlock) -> ToolCall {
        ToolCall {
            id: CText::without_nul(block.id),
            name: CText::without_nul(block.name),
            arguments: block.input.get().to_owned().into(),
            error: block.error.map(CText::without_nul),
        }
    }
}

/// A text of a response or reply, NULL if it has none. `length_out` may be NULL.
pub(crate) unsafe fn read<T>(
    parent: *const T,
    length_out: *mut usize,
    part: impl FnOnce(&T) -> Option<&CText>,
) -> *const c_char {
    let text = unsafe { parent.as_ref() }.and_then(part);
    if let Some(length) = unsafe { length_out.as_mut() } {
        *length = text.map_or(0, CText::length);
    }
    text.map_or(std::ptr::null(), CText::pointer)
}

/// Writes a number if the response has one. Returns whether it has.
unsafe fn write<T>(out: *mut T, value: Option<T>) -> c_int {
    let Some(value) = value else { return 0 };
    if let Some(out) = unsafe { out.as_mut() } {
        *out = value;
    }
    1
}

#[no_mangle]
pub unsafe extern "C" fn sa_response_free(response: *mut SAResponse) {
    unsafe { free(response) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_response_get_content(response: *const SAResponse) -> *const c_char {
    unsafe { read(response, std::ptr::null_mut(), |response| Some(&response.content)) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_response_get_content_length(response: *const SAResponse) -> usize {
    unsafe { response.as_ref() }.map_or(0, |response| response.content.length())
}

#[no_mangle]
pub unsafe extern "C" fn sa_response_get_value(response: *const SAResponse, length_out: *mut usize) -> *const c_char {
    unsafe { read(response, length_out, |response| response.value.as_ref()) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_response_get_json(response: *const SAResponse, length_out: *mut usize) -> *const c_char {
    unsafe { read(response, length_out, |response| Some(&response.json)) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_response_get_model(response: *const SAResponse) -> *const c_char {
    unsafe { read(response, std::ptr::null_mut(), |response| Some(&response.model)) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_response_get_stop_reason(response: *const SAResponse) -> *const c_char {
    unsafe { read(response, std::ptr::null_mut(), |response| Some(&response.stop_reason)) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_response_get_usage(
    response: *const SAResponse,
    input_out: *mut i64,
    output_out: *mut i64,
) -> c_int {
    let usage = unsafe { response.as_ref() }.and_then(|response| response.usage.as_ref());
    unsafe {
        write(input_out, usage.map(|usage| usage.input as i64));
        write(output_out, usage.map(|usage| usage.output as i64))
    }
}

#[no_mangle]
pub unsafe extern "C" fn sa_response_get_cost(response: *const SAResponse, cost_out: *mut f64) -> c_int {
    unsafe { write(cost_out, response.as_ref().and_then(|response| response.cost)) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_response_get_confidence(response: *const SAResponse, confidence_out: *mut f64) -> c_int {
    unsafe { write(confidence_out, response.as_ref().and_then(|response| response.confidence)) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_response_get_tool_call_count(response: *const SAResponse) -> usize {
    unsafe { response.as_ref() }.map_or(0, |response| response.tool_calls.len())
}

#[no_mangle]
pub unsafe extern "C" fn sa_response_get_tool_call_id(response: *const SAResponse, index: usize) -> *const c_char {
    unsafe { read(response, std::ptr::null_mut(), |response| response.tool_calls.get(index).map(|call| &call.id)) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_response_get_tool_call_name(response: *const SAResponse, index: usize) -> *const c_char {
    unsafe { read(response, std::ptr::null_mut(), |response| response.tool_calls.get(index).map(|call| &call.name)) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_response_get_tool_call_arguments(
    response: *const SAResponse,
    index: usize,
    length_out: *mut usize,
) -> *const c_char {
    unsafe { read(response, length_out, |response| response.tool_calls.get(index).map(|call| &call.arguments)) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_response_get_tool_call_error(response: *const SAResponse, index: usize) -> *const c_char {
    unsafe { read(response, std::ptr::null_mut(), |response| response.tool_calls.get(index)?.error.as_ref()) }
}
