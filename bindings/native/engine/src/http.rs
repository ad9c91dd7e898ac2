//! HTTP for the engine, on a thread of its own. A body is read only when JavaScript asks for the next chunk.

use crate::connection::{Clients, ConnectionOptions};
use crate::failure::Failure;
use crate::Message;
use futures_util::{FutureExt, StreamExt};
use reqwest::header::{HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::mpsc::Sender;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{unbounded_channel, UnboundedReceiver, UnboundedSender};
use tokio::task::AbortHandle;

/// `HostRequest` in src/embed/host.ts.
#[derive(Deserialize)]
struct HttpRequest {
    method: String,
    url: String,
    headers: HashMap<String, String>,
    body: Option<String>,
    connection: ConnectionOptions,
}

/// `HostResponseHead` in src/embed/host.ts.
#[derive(Serialize)]
struct Head {
    status: u16,
    headers: Vec<(String, String)>,
}

/// As in `src/transport/undici.ts`.
const MOST_HEADER_BYTES: usize = 64 * 1024;

struct OpenRequest {
    /// One message for each chunk that is wanted. JavaScript asks for one at a time.
    pulls: UnboundedSender<()>,
    task: AbortHandle,
}

/// The requests of one engine. Only its thread uses this.
pub(crate) struct Http {
    messages: Sender<Message>,
    /// An engine that only heals has no HTTP thread.
    runtime: OnceCell<Runtime>,
    clients: Arc<Clients>,
    open: RefCell<HashMap<u64, OpenRequest>>,
}

impl Http {
    pub fn new(messages: Sender<Message>) -> Http {
        Http { messages, runtime: OnceCell::new(), clients: Arc::default(), open: RefCell::default() }
    }

    /// Starts a request: the JSON of an `HttpRequest`. Its head or its failure comes as a message.
    pub fn start(&self, id: u64, json: String) {
        let (pulls, wanted) = unbounded_channel();
        let messages = self.messages.clone();
        let clients = self.clients.clone();
        let runtime = match self.runtime() {
            Ok(runtime) => runtime,
            Err(failure) => return report(id, &failure, &messages),
        };
        let task = runtime.spawn(async move {
            let exchange = AssertUnwindSafe(exchange(id, json, &clients, wanted, &messages)).catch_unwind();
            let outcome = exchange.await.unwrap_or_else(|_| Err(Failure::of_request("the HTTP client panicked")));
            if let Err(failure) = outcome {
                report(id, &failure, &messages);
            }
        });
        self.open.borrow_mut().insert(id, OpenRequest { pulls, task: task.abort_handle() });
    }

    pub fn pull(&self, id: u64) {
        if let Some(request) = self.open.borrow().get(&id) {
            let _ = request.pulls.send(());
        }
    }

    /// Closes the connection, unless the response is complete.
    pub fn end(&self, id: u64) {
        if let Some(request) = self.open.borrow_mut().remove(&id) {
            request.task.abort();
        }
    }

    fn runtime(&self) -> Result<&Runtime, Failure> {
        if self.runtime.get().is_none() {
            let _ = self.runtime.set(start_runtime().map_err(|error| Failure::new("ENOMEM", error.to_string()))?);
        }
        self.runtime.get().ok_or_else(|| Failure::new("ENOMEM", "the HTTP thread could not be started"))
    }
}

impl Drop for Http {
    /// Does not wait for names that are being resolved.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn start_runtime() -> std::io::Result<Runtime> {
    // Fails if another part of the program has installed one, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Builder::new_multi_thread().worker_threads(1).thread_name("simple-agents-http").enable_all().build()
}

fn report(id: u64, failure: &Failure, messages: &Sender<Message>) {
    let _ = messages.send(Message::Failure { id, json: failure.to_json() });
}

async fn exchange(
    id: u64,
    json: String,
    clients: &Clients,
    wanted: UnboundedReceiver<()>,
    messages: &Sender<Message>,
) -> Result<(), Failure> {
    let request: HttpRequest = serde_json::from_str(&json).map_err(Failure::of_request)?;
    drop(json);
    let connection = request.connection.clone();
    let client = clients.get(&connection)?;
    let response = client.execute(build(request)?).await.map_err(|error| Failure::from(&error))?;
    if let Some(announced) = announced_idle(&response) {
        clients.limit_idle(&connection, announced)?;
    }
    let head = serde_json::to_string(&read_head(&response)?).unwrap_or_default();
    let _ = messages.send(Message::Head { id, json: head });
    send_body(id, response, wanted, messages).await
}

fn build(request: HttpRequest) -> Result<reqwest::Request, Failure> {
    let method = request.method.parse().map_err(Failure::of_request)?;
    let url = request.url.parse().map_err(Failure::of_request)?;
    let mut built = reqwest::Request::new(method, url);
    for (name, value) in &request.headers {
        let name: HeaderName = name.parse().map_err(Failure::of_request)?;
        // JavaScript has checked that the characters are Latin-1.
        let bytes: Vec<u8> = value.chars().map(|character| character as u32 as u8).collect();
        built.headers_mut().insert(name, HeaderValue::from_bytes(&bytes).map_err(Failure::of_request)?);
    }
    *built.body_mut() = request.body.map(reqwest::Body::from);
    Ok(built)
}

fn read_head(response: &reqwest::Response) -> Result<Head, Failure> {
    let headers = response.headers();
    let size: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len()).sum();
    if size > MOST_HEADER_BYTES {
        return Err(Failure::new("UND_ERR_HEADERS_OVERFLOW", "Headers Overflow Error"));
    }
    let coding = headers.get("content-encoding").map(|value| latin1(value.as_bytes())).unwrap_or_default();
    // Only gzip was accepted, and it is decoded already, so JavaScript must not take the rest for decoded.
    if matches!(coding.trim().to_ascii_lowercase().as_str(), "br" | "zstd" | "deflate") {
        return Err(Failure::new("Z_DATA_ERROR", format!("the content coding {coding} was not accepted")));
    }
    let headers = headers.iter().map(|(name, value)| (name.to_string(), latin1(value.as_bytes()))).collect();
    Ok(Head { status: response.status().as_u16(), headers })
}

/// The header `Keep-Alive: timeout=5`.
fn announced_idle(response: &reqwest::Response) -> Option<Duration> {
    let value = response.headers().get("keep-alive")?.to_str().ok()?;
    let seconds = value.split(',').find_map(|part| part.trim().strip_prefix("timeout="))?;
    seconds.parse().ok().map(Duration::from_secs)
}

async fn send_body(
    id: u64,
    response: reqwest::Response,
    mut wanted: UnboundedReceiver<()>,
    messages: &Sender<Message>,
) -> Result<(), Failure> {
    let mut body = response.bytes_stream();
    while wanted.recv().await.is_some() {
        let Some(chunk) = body.next().await else {
            let _ = messages.send(Message::End { id });
            break;
        };
        let bytes = chunk.map_err(|error| Failure::from(&error))?.to_vec();
        let _ = messages.send(Message::Chunk { id, bytes });
    }
    Ok(())
}

fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| *byte as char).collect()
}
