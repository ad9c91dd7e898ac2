//! The TypeScript core of SimpleAgents inside a native program.
//!
//! One thread runs JavaScript, another one HTTP. Calls and replies are JSON (see `src/embed/protocol.ts`); TLS, timers,
//! hashing and files are Rust.
//!
//! Invariants:
//!   1. Every call gets exactly one reply, also if the engine ends first.
//!   2. Nothing piles up: a program has one reply for each call, and a body is read only when JavaScript asks for it.
//!   3. No signal of the program is handled on the engine's threads, and no panic leaves them.

mod connection;
mod failure;
mod host;
mod http;
mod process;
mod reply;
mod script;
mod signals;
mod timers;
mod trust;
mod url_parts;

use reply::PendingReply;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::Arc;
use std::thread;

pub use process::{healing_engine, process_engine};
pub use reply::ReplyHandler;

/// Receives the lines that the engine logs, on its thread.
pub type LogSink = Arc<dyn Fn(&str) + Send + Sync>;

/// What the engine's thread can receive.
pub(crate) enum Message {
    Call { id: u64, json: String, reply: PendingReply },
    Head { id: u64, json: String },
    Chunk { id: u64, bytes: Vec<u8> },
    End { id: u64 },
    Failure { id: u64, json: String },
    Stop,
}

/// QuickJS counts its recursion against this. The core heals values of a few hundred levels.
const STACK_SIZE: usize = 16 * 1024 * 1024;
/// For the native code around QuickJS.
const STACK_RESERVE: usize = 1024 * 1024;

/// A running engine. Dropping it ends its threads after the current JavaScript, without waiting for them.
pub struct Engine {
    messages: Sender<Message>,
}

/// Shared by all engines, so that a queue with the replies of several can tell them apart.
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

impl Engine {
    pub fn start(log: LogSink) -> Result<Engine, String> {
        let (messages, received) = mpsc::channel();
        let (started, starting) = mpsc::channel();
        let own = messages.clone();
        thread::Builder::new()
            .name("simple-agents".into())
            .stack_size(STACK_SIZE + STACK_RESERVE)
            .spawn(move || {
                signals::block();
                script::run(own, received, started, log);
            })
            .map_err(|error| format!("the thread of the engine could not be started: {error}"))?;
        starting.recv().unwrap_or_else(|_| Err("the engine ended while it was starting".into()))?;
        Ok(Engine { messages })
    }

    /// Sends a call, the JSON of an object. The handler gets exactly one reply. Returns the id, for `cancel`.
    pub fn call(&self, json: &str, handler: ReplyHandler) -> u64 {
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        let reply = PendingReply::new(id, handler);
        // If the engine has ended, the message is dropped here, which replies with an error.
        let _ = self.messages.send(Message::Call { id, json: json.into(), reply });
        id
    }

    /// Sends a call and waits for its reply.
    pub fn call_blocking(&self, json: &str) -> String {
        let (sender, receiver) = mpsc::sync_channel(1);
        self.call(json, Box::new(move |reply| drop(sender.send(reply))));
        receiver.recv().unwrap_or_else(|_| reply::ended(0))
    }

    /// Ends a call. Its own reply is an error of the kind `aborted`, unless it was already on its way.
    pub fn cancel(&self, id: u64) {
        self.call(&format!(r#"{{"call":"cancel","target":{id}}}"#), Box::new(|_| ()));
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.messages.send(Message::Stop);
    }
}
