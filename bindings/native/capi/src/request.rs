//! Requests: messages, and the fields of a request as JSON.

use crate::call::Cancellation;
use crate::client::engine;
use crate::last_error::CallError;
use crate::response::SAResponse;
use crate::text::{missing, parse_members, required, sized, to_raw, Members};
use crate::{create, free, status};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::ffi::{c_char, c_int, CStr};

#[derive(Default)]
pub struct SARequest {
    messages: Vec<Message>,
    fields: Members,
    pub(crate) cancellation: Cancellation,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Message {
    Any(Box<RawValue>),
    /// The results of one turn are blocks of one message.
    ToolResults {
        role: &'static str,
        content: Vec<Box<RawValue>>,
    },
}

const ROLES: [&str; 3] = ["system", "user", "assistant"];

impl SARequest {
    /// The input of a model call.
    pub(crate) fn to_input(&self) -> Box<RawValue> {
        #[derive(Serialize)]
        struct Input<'a> {
            messages: &'a [Message],
            #[serde(flatten)]
            fields: &'a Members,
        }
        to_raw(&Input { messages: &self.messages, fields: &self.fields })
    }

    fn add_message(&mut self, role: &str, content: &str) -> Result<(), CallError> {
        if !ROLES.contains(&role) {
            return Err(CallError::invalid(format!("role: must be one of {}", ROLES.join(", "))));
        }
        self.messages.push(Message::Any(to_raw(&json!({ "role": role, "content": content }))));
        Ok(())
    }

    fn add_tool_result(&mut self, call_id: &str, content: &str, is_error: bool) {
        let text = json!({ "type": "text", "text": content });
        let mut block = json!({ "type": "tool-result", "callId": call_id, "content": [text] });
        if is_error {
            block["isError"] = true.into();
        }
        match self.messages.last_mut() {
            Some(Message::ToolResults { content, .. }) => content.push(to_raw(&block)),
            _ => self.messages.push(Message::ToolResults { role: "user", content: vec![to_raw(&block)] }),
        }
    }
}

unsafe fn change(request: *mut SARequest, work: impl FnOnce(&mut SARequest) -> Result<(), CallError>) -> c_int {
    status(|| work(unsafe { request.as_mut() }.ok_or_else(|| missing("request"))?))
}

#[no_mangle]
pub extern "C" fn sa_request_new() -> *mut SARequest {
    create(|| Ok(SARequest::default()))
}

#[no_mangle]
pub unsafe extern "C" fn sa_request_free(request: *mut SARequest) {
    unsafe { free(request) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_request_add_message(
    request: *mut SARequest,
    role: *const c_char,
    content: *const c_char,
) -> c_int {
    let length = if content.is_null() { 0 } else { unsafe { CStr::from_ptr(content) }.count_bytes() };
    unsafe { sa_request_add_message_n(request, role, content, length) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_request_add_message_n(
    request: *mut SARequest,
    role: *const c_char,
    content: *const c_char,
    length: usize,
) -> c_int {
    let work = |request: &mut SARequest| {
        let role = unsafe { required(role, "role") }?;
        request.add_message(role, unsafe { sized(content, length, "content") }?)
    };
    unsafe { change(request, work) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_request_add_response(request: *mut SARequest, response: *const SAResponse) -> c_int {
    let work = |request: &mut SARequest| {
        let response = unsafe { response.as_ref() }.ok_or_else(|| missing("response"))?;
        let message = response.message().ok_or_else(|| CallError::invalid("response: has no message"))?;
        request.messages.push(Message::Any(message));
        Ok(())
    };
    unsafe { change(request, work) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_request_add_tool_result(
    request: *mut SARequest,
    call_id: *const c_char,
    content: *const c_char,
    is_error: c_int,
) -> c_int {
    let work = |request: &mut SARequest| {
        let call_id = unsafe { required(call_id, "call_id") }?;
        request.add_tool_result(call_id, unsafe { required(content, "content") }?, is_error != 0);
        Ok(())
    };
    unsafe { change(request, work) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_request_set_model(request: *mut SARequest, model: *const c_char) -> c_int {
    let work = |request: &mut SARequest| {
        let model = to_raw(&unsafe { required(model, "model") }?);
        request.fields.insert("model".into(), model);
        Ok(())
    };
    unsafe { change(request, work) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_request_set_options(request: *mut SARequest, options_json: *const c_char) -> c_int {
    let work = |request: &mut SARequest| {
        let options = parse_members(unsafe { required(options_json, "options_json") }?, "options_json")?;
        if options.contains_key("messages") {
            return Err(CallError::invalid("options_json: add messages with sa_request_add_message"));
        }
        request.fields.extend(options);
        Ok(())
    };
    unsafe { change(request, work) }
}

#[no_mangle]
pub unsafe extern "C" fn sa_request_cancel(request: *const SARequest) -> c_int {
    status(|| {
        unsafe { request.as_ref() }.ok_or_else(|| missing("request"))?.cancellation.cancel(engine()?);
        Ok(())
    })
}
