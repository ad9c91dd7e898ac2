//! The functions that JavaScript finds in `host`: those of `EngineHost` in src/embed/host.ts, and those of the prelude.

use crate::http::Http;
use crate::reply::PendingReply;
use crate::timers::Timers;
use crate::url_parts::{change_url, parse_url};
use crate::LogSink;
use rquickjs::function::IntoJsFunc;
use rquickjs::{Ctx, Exception, Function, Object, TypedArray};
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::rc::Rc;
use std::time::Instant;

/// What the functions and the loop of the script share. Only the engine's thread uses it.
pub(crate) struct Shared {
    pub replies: RefCell<HashMap<u64, PendingReply>>,
    pub timers: RefCell<Timers>,
    pub http: Http,
    pub log: LogSink,
}

pub(crate) fn create_host<'js>(ctx: &Ctx<'js>, shared: &Rc<Shared>) -> rquickjs::Result<Object<'js>> {
    let host = HostObject { ctx: ctx.clone(), object: Object::new(ctx.clone())? };
    add_calls(&host, shared)?;
    add_time(&host, shared)?;
    add_text(&host)?;
    host.add("parseUrl", parse_url)?;
    host.add("changeUrl", change_url)?;
    Ok(host.object)
}

struct HostObject<'js> {
    ctx: Ctx<'js>,
    object: Object<'js>,
}

impl<'js> HostObject<'js> {
    fn add<P>(&self, name: &str, function: impl IntoJsFunc<'js, P> + 'js) -> rquickjs::Result<()> {
        self.object.set(name, Function::new(self.ctx.clone(), function)?)
    }
}

/// Numbers of JavaScript are floating-point; ids are far below the limit.
fn add_calls(host: &HostObject<'_>, shared: &Rc<Shared>) -> rquickjs::Result<()> {
    let state = shared.clone();
    host.add("post", move |id: f64, json: String| {
        let reply = state.replies.borrow_mut().remove(&(id as u64));
        if let Some(reply) = reply {
            reply.give(json);
        }
    })?;
    let state = shared.clone();
    host.add("fetch", move |id: f64, request: String| state.http.start(id as u64, request))?;
    let state = shared.clone();
    host.add("pull", move |id: f64| state.http.pull(id as u64))?;
    let state = shared.clone();
    host.add("cancel", move |id: f64| state.http.end(id as u64))?;
    let state = shared.clone();
    host.add("log", move |line: String| (state.log)(&line))
}

fn add_time(host: &HostObject<'_>, shared: &Rc<Shared>) -> rquickjs::Result<()> {
    let state = shared.clone();
    host.add("startTimer", move |id: f64, delay: f64| state.timers.borrow_mut().start(id as u64, delay))?;
    let state = shared.clone();
    host.add("stopTimer", move |id: f64| state.timers.borrow_mut().stop(id as u64))?;
    let begun = Instant::now();
    host.add("now", move || begun.elapsed().as_secs_f64() * 1000.0)
}

fn add_text<'js>(host: &HostObject<'js>) -> rquickjs::Result<()> {
    host.add("sha256", |text: String| hex(&Sha256::digest(text.as_bytes())))?;
    host.add("environment", environment)?;
    host.add("readText", |ctx: Ctx<'js>, path: String| -> rquickjs::Result<String> {
        read_text(&path).map_err(|reason| Exception::throw_message(&ctx, &reason))
    })?;
    host.add("encodeText", |ctx: Ctx<'js>, text: String| TypedArray::<u8>::new(ctx, text.into_bytes()))?;
    host.add("decodeText", decode_text)?;
    host.add("randomBytes", |ctx: Ctx<'js>, count: usize| -> rquickjs::Result<TypedArray<'js, u8>> {
        let bytes = random_bytes(count).ok_or_else(|| Exception::throw_message(&ctx, "no random numbers"))?;
        TypedArray::<u8>::new(ctx, bytes)
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn environment() -> String {
    let variables: HashMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    serde_json::to_string(&variables).unwrap_or_else(|_| "{}".into())
}

fn read_text(path: &str) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "file not found".to_string(),
        io::ErrorKind::PermissionDenied => "permission denied; check the permissions of the file".to_string(),
        io::ErrorKind::IsADirectory => "is a directory, not a file".to_string(),
        _ => format!("cannot be read ({error})"),
    })?;
    String::from_utf8(bytes).map_err(|_| "is not UTF-8 text; save the file as UTF-8".to_string())
}

/// `None` if the bytes are not UTF-8 and must be.
fn decode_text(bytes: TypedArray<'_, u8>, is_fatal: bool) -> Option<String> {
    // JavaScript does not run while the bytes are read.
    let bytes = unsafe { bytes.as_bytes() }.unwrap_or_default();
    if is_fatal {
        return std::str::from_utf8(bytes).ok().map(str::to_owned);
    }
    Some(String::from_utf8_lossy(bytes).into_owned())
}

fn random_bytes(count: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; count];
    rustls::crypto::ring::default_provider().secure_random.fill(&mut bytes).ok()?;
    Some(bytes)
}
