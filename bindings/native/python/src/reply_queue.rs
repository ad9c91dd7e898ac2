//! The replies for one event loop. The first reply of a batch makes a socket readable; the loop then takes all of them.

use crate::engine;
use pyo3::prelude::*;
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The queue of replies that an event loop waits for. It holds at most one reply for each call that was started.
#[pyclass(frozen)]
pub struct ReplyQueue {
    shared: Arc<Shared>,
}

struct Shared {
    replies: Mutex<Vec<String>>,
    arrived: Condvar,
    wake: Wake,
}

#[pymethods]
impl ReplyQueue {
    #[new]
    fn new() -> PyResult<ReplyQueue> {
        let wake = Wake::new()?;
        Ok(ReplyQueue { shared: Arc::new(Shared { replies: Mutex::default(), arrived: Condvar::new(), wake }) })
    }

    /// Sends a call and returns its id. The reply comes through this queue.
    fn start(&self, py: Python<'_>, json: &str) -> PyResult<u64> {
        let shared = self.shared.clone();
        Ok(engine(py)?.call(json, Box::new(move |reply| shared.push(reply))))
    }

    /// Ends a call. Its reply still comes, as an error.
    fn cancel(&self, py: Python<'_>, id: u64) -> PyResult<()> {
        engine(py)?.cancel(id);
        Ok(())
    }

    /// The descriptor that is readable while there are replies; `None` where event loops cannot watch one.
    fn fileno(&self) -> Option<i32> {
        self.shared.wake.descriptor()
    }

    /// All replies that have arrived. Each names the id of its call.
    fn take(&self) -> Vec<String> {
        let mut replies = self.shared.lock();
        self.shared.wake.clear();
        mem::take(&mut *replies)
    }

    /// Waits until there is a reply, at most this many seconds. Tells whether there is one.
    fn wait(&self, py: Python<'_>, seconds: f64) -> bool {
        let limit = Duration::from_secs_f64(seconds.max(0.0));
        py.detach(|| {
            let replies = self.shared.lock();
            let waited = self.shared.arrived.wait_timeout_while(replies, limit, |replies| replies.is_empty());
            !waited.unwrap_or_else(PoisonError::into_inner).0.is_empty()
        })
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        self.replies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs on the engine's thread.
    fn push(&self, reply: String) {
        let mut replies = self.lock();
        if replies.is_empty() {
            self.wake.signal();
            self.arrived.notify_all();
        }
        replies.push(reply);
    }
}

#[cfg(not(unix))]
use other::Wake;
#[cfg(unix)]
use unix::Wake;

#[cfg(unix)]
mod unix {
    use std::io::{self, Read, Write};
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixStream;

    /// A pair of sockets. Both ends are closed with the queue.
    pub struct Wake {
        reader: UnixStream,
        writer: UnixStream,
    }

    impl Wake {
        pub fn new() -> io::Result<Wake> {
            let (reader, writer) = UnixStream::pair()?;
            reader.set_nonblocking(true)?;
            writer.set_nonblocking(true)?;
            Ok(Wake { reader, writer })
        }

        pub fn descriptor(&self) -> Option<i32> {
            Some(self.reader.as_raw_fd())
        }

        /// There is one byte at most, so the socket cannot be full.
        pub fn signal(&self) {
            let _ = (&self.writer).write(&[1]);
        }

        pub fn clear(&self) {
            let _ = (&self.reader).read(&mut [0; 16]);
        }
    }
}

#[cfg(not(unix))]
mod other {
    use std::io;

    /// A thread of Python waits for the queue instead.
    pub struct Wake;

    impl Wake {
        pub fn new() -> io::Result<Wake> {
            Ok(Wake)
        }

        pub fn descriptor(&self) -> Option<i32> {
            None
        }

        pub fn signal(&self) {}

        pub fn clear(&self) {}
    }
}
