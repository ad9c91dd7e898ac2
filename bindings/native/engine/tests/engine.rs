//! The lifetime of an engine: replies, panics, cancellation, and what is left when it ends.

use simple_agents_engine::Engine;
use std::sync::{mpsc, Arc};
use std::time::Duration;

fn start() -> Engine {
    Engine::start(Arc::new(|line| panic!("the engine logged {line}"))).expect("the engine starts")
}

/// A client of the simulated model.
fn open_client(engine: &Engine) {
    let reply = engine.call_blocking(r#"{"call":"open-client","options":{"provider":"simulated"}}"#);
    assert!(reply.contains(r#""client":1"#), "{reply}");
}

#[test]
fn replies_to_what_is_not_a_call() {
    let engine = start();
    for text in ["", "{", "[]", "{\"a\":", r#"{"id":7,"call":"heal"}"#] {
        let reply = engine.call_blocking(text);
        assert!(reply.contains(r#""kind":"bad-request""#), "{text}: {reply}");
    }
}

#[test]
fn survives_a_handler_that_panics() {
    let engine = start();
    engine.call(r#"{"call":"heal","text":"1"}"#, Box::new(|_| panic!("a panic of the test")));
    assert!(engine.call_blocking(r#"{"call":"heal","text":"[1,"}"#).contains("[1]"));
}

#[test]
fn replies_when_it_ends_during_a_call() {
    let engine = start();
    let (sender, receiver) = mpsc::channel();
    // The first keeps the thread busy while the second and the end arrive.
    engine.call(
        r#"{"call":"heal","text":"{a: 1, b: [2, 3"}"#,
        Box::new(|_| std::thread::sleep(Duration::from_millis(50))),
    );
    for _ in 0..3 {
        let sender = sender.clone();
        engine.call(r#"{"call":"complete","client":9,"input":"x"}"#, Box::new(move |reply| drop(sender.send(reply))));
    }
    drop((engine, sender));
    assert_eq!(receiver.iter().count(), 3);
}

#[test]
fn cancels_a_call() {
    let engine = start();
    open_client(&engine);
    let (sender, receiver) = mpsc::channel();
    let json = r#"{"call":"complete","client":1,"input":"Count to 100000"}"#;
    let id = engine.call(json, Box::new(move |reply| drop(sender.send(reply))));
    engine.cancel(id);
    let reply = receiver.recv().expect("a reply");
    assert!(reply.contains(r#""kind":"aborted""#), "{reply}");
}

#[test]
#[cfg(target_os = "linux")]
fn ends_its_threads() {
    let named = |name: &str| {
        let tasks = std::fs::read_dir("/proc/self/task").expect("Linux").flatten();
        tasks
            .filter(|task| std::fs::read_to_string(task.path().join("comm")).is_ok_and(|text| text.trim() == name))
            .count()
    };
    // A port where nothing listens: the call starts the HTTP thread.
    let options = r#"{"provider":"openai","apiKey":"k","baseUrl":"http://127.0.0.1:9/v1","retry":false}"#;
    for _ in 0..5 {
        let engine = start();
        engine.call_blocking(&format!(r#"{{"call":"open-client","options":{options}}}"#));
        let reply = engine.call_blocking(r#"{"call":"complete","client":1,"input":"x","model":"m"}"#);
        assert!(reply.contains(r#""kind":"network""#), "{reply}");
        assert!(named("simple-agents-h") > 0);
    }
    let deadline = std::time::Instant::now() + Duration::from_secs(20);
    while named("simple-agents-h") > 0 {
        assert!(std::time::Instant::now() < deadline, "the HTTP threads are still there");
        std::thread::sleep(Duration::from_millis(10));
    }
}
