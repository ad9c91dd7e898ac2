//! The thread that runs JavaScript, and the loop that gives QuickJS its messages and timers.

use crate::host::{create_host, Shared};
use crate::http::Http;
use crate::{LogSink, Message, STACK_SIZE};
use rquickjs::function::IntoArgs;
use rquickjs::{Context, Ctx, Function, Module, Object, Runtime, TypedArray, Undefined};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Instant;

static PRELUDE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/prelude.bin"));
static ENGINE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/engine.bin"));

/// Runs until `Message::Stop`. Tells `started` when the script is loaded.
pub(crate) fn run(
    own: Sender<Message>,
    received: Receiver<Message>,
    started: Sender<Result<(), String>>,
    log: LogSink,
) {
    let shared = Rc::new(Shared { replies: RefCell::default(), timers: RefCell::default(), http: Http::new(own), log });
    let script = match Script::load(&shared) {
        Ok(script) => script,
        Err(error) => return drop(started.send(Err(error))),
    };
    let _ = started.send(Ok(()));
    script.serve(&shared, &received);
}

struct Script {
    runtime: Runtime,
    context: Context,
}

impl Script {
    fn load(shared: &Rc<Shared>) -> Result<Script, String> {
        let failed = |error| format!("QuickJS could not be started: {error}");
        let runtime = Runtime::new().map_err(failed)?;
        runtime.set_max_stack_size(STACK_SIZE);
        let context = Context::full(&runtime).map_err(failed)?;
        context.with(|ctx| {
            load_modules(&ctx, shared)
                .map_err(|error| format!("the engine could not be loaded: {}", describe(&ctx, &error)))
        })?;
        Ok(Script { runtime, context })
    }

    fn serve(&self, shared: &Rc<Shared>, received: &Receiver<Message>) {
        loop {
            self.run_jobs(shared);
            let wait = shared.timers.borrow().wait(Instant::now());
            let message = match wait {
                None => received.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(wait) => received.recv_timeout(wait),
            };
            match message {
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(message) => self.deliver(shared, message),
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.fire_timers(shared);
        }
    }

    /// Runs what promises have scheduled.
    fn run_jobs(&self, shared: &Rc<Shared>) {
        loop {
            match self.runtime.execute_pending_job() {
                Ok(true) => {}
                Ok(false) => return,
                Err(_) => self.context.with(|ctx| (shared.log)(&format!("a job failed: {:?}", ctx.catch()))),
            }
        }
    }

    fn deliver(&self, shared: &Rc<Shared>, message: Message) {
        self.enter(shared, |ctx| match message {
            Message::Call { id, json, reply } => {
                shared.replies.borrow_mut().insert(id, reply);
                call_engine(ctx, "receive", (id as f64, json))
            }
            Message::Head { id, json } => call_engine(ctx, "takeHead", (id as f64, json)),
            Message::Chunk { id, bytes } => {
                let bytes = TypedArray::<u8>::new(ctx.clone(), bytes)?;
                call_engine(ctx, "takeChunk", (id as f64, bytes))
            }
            Message::End { id } => {
                shared.http.end(id);
                call_engine(ctx, "takeChunk", (id as f64, Undefined))
            }
            Message::Failure { id, json } => {
                shared.http.end(id);
                call_engine(ctx, "takeFailure", (id as f64, json))
            }
            Message::Stop => Ok(()),
        });
    }

    /// Only those that are due now: a timer that starts another one must not keep messages waiting.
    fn fire_timers(&self, shared: &Rc<Shared>) {
        let now = Instant::now();
        loop {
            let due = shared.timers.borrow_mut().pop_due(now);
            let Some(id) = due else { return };
            self.run_jobs(shared);
            self.enter(shared, |ctx| ctx.globals().get::<_, Function>("fireTimer")?.call((id as f64,)));
        }
    }

    fn enter(&self, shared: &Rc<Shared>, work: impl for<'js> FnOnce(&Ctx<'js>) -> rquickjs::Result<()>) {
        self.context.with(|ctx| {
            if let Err(error) = work(&ctx) {
                (shared.log)(&describe(&ctx, &error));
            }
        });
    }
}

fn load_modules(ctx: &Ctx<'_>, shared: &Rc<Shared>) -> rquickjs::Result<()> {
    ctx.globals().set("host", create_host(ctx, shared)?)?;
    for bytecode in [PRELUDE, ENGINE] {
        // The bytecode was made by the build script with the same QuickJS.
        let (_, evaluated) = unsafe { Module::load(ctx.clone(), bytecode)? }.eval()?;
        evaluated.finish::<()>()?;
    }
    Ok(())
}

/// A method of `Engine` in src/embed/host.ts.
fn call_engine<'js>(ctx: &Ctx<'js>, method: &str, values: impl IntoArgs<'js>) -> rquickjs::Result<()> {
    let engine: Object<'js> = ctx.globals().get("engine")?;
    engine.get::<_, Function>(method)?.call(values)
}

fn describe(ctx: &Ctx<'_>, error: &rquickjs::Error) -> String {
    match error {
        rquickjs::Error::Exception => format!("{:?}", ctx.catch()),
        other => other.to_string(),
    }
}
