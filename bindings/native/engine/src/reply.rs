//! A reply that someone waits for. It is given exactly once: by the engine, or as an error when it is dropped.

use std::panic::{catch_unwind, AssertUnwindSafe};

/// Receives the JSON of a reply, on the engine's thread. It must not block.
pub type ReplyHandler = Box<dyn FnOnce(String) + Send>;

pub(crate) struct PendingReply {
    id: u64,
    handler: Option<ReplyHandler>,
}

impl PendingReply {
    pub fn new(id: u64, handler: ReplyHandler) -> PendingReply {
        PendingReply { id, handler: Some(handler) }
    }

    pub fn give(mut self, json: String) {
        self.hand_over(json);
    }

    /// A handler that panics must not end the engine of the others.
    fn hand_over(&mut self, json: String) {
        if let Some(handler) = self.handler.take() {
            let _ = catch_unwind(AssertUnwindSafe(|| handler(json)));
        }
    }
}

impl Drop for PendingReply {
    fn drop(&mut self) {
        self.hand_over(ended(self.id));
    }
}

/// The reply of a call that the engine did not answer before it ended.
pub(crate) fn ended(id: u64) -> String {
    format!(r#"{{"id":{id},"error":{{"kind":"internal","message":"the engine has ended","retryable":false}}}}"#)
}
