//! The engine over standard input and output, for the conformance suite: one call per line, one reply per line.

use simple_agents_engine::Engine;
use std::io::{self, BufRead, Write};
use std::sync::{mpsc, Arc};

fn main() {
    let engine = match Engine::start(Arc::new(|line| eprintln!("{line}"))) {
        Ok(engine) => engine,
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    };
    let (sender, receiver) = mpsc::channel::<String>();
    let writer = std::thread::spawn(move || {
        let mut out = io::stdout().lock();
        for reply in receiver {
            if writeln!(out, "{reply}").and_then(|()| out.flush()).is_err() {
                return;
            }
        }
    });
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let reply = sender.clone();
        engine.call(&line, Box::new(move |text| drop(reply.send(text))));
    }
    drop(sender);
    drop(engine);
    let _ = writer.join();
}
