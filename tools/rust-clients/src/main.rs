//! Uses the gateway through clients written in Rust. It answers the questions of test/support/clients/program.ts: one
//! per line of the input, one line with what the client saw for each.

mod async_openai_chat;
mod async_openai_responses;
mod client;
mod rig;

use client::{Client, Failure, Question, perform};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, stdin, stdout};

/// The loop runs while it waits, as in an application: libraries close connections in tasks of their own.
#[tokio::main(flavor = "current_thread")]
async fn main() {
    let url = std::env::args().nth(1).expect("usage: rust-clients URL");
    let mut lines = BufReader::new(stdin()).lines();
    while let Some(line) = lines.next_line().await.expect("the input is text") {
        let asked: Question = serde_json::from_str(&line).expect("a line is a question");
        let answer = format!("{}\n", answer_to(&url, &asked).await);
        let mut output = stdout();
        output.write_all(answer.as_bytes()).await.expect("the output is open");
        output.flush().await.expect("the output is open");
    }
}

async fn answer_to(url: &str, asked: &Question) -> Value {
    match asked.client.as_str() {
        "async-openai, chat" => answer(async_openai_chat::Chat::new(url), asked).await,
        "async-openai, responses" => answer(async_openai_responses::Responses::new(url), asked).await,
        "rig, openai chat" => answer(rig::openai_chat(url), asked).await,
        "rig, openai responses" => answer(rig::openai_responses(url), asked).await,
        "rig, anthropic" => answer(rig::anthropic(url), asked).await,
        "rig, gemini" => answer(rig::gemini(url), asked).await,
        other => json!({ "error": format!("unknown client {other:?}") }),
    }
}

async fn answer(client: impl Client, asked: &Question) -> Value {
    match perform(&client, asked).await {
        Ok(seen) => json!({ "seen": seen }),
        Err(Failure::Unsupported(reason)) => json!({ "unsupported": reason }),
        Err(Failure::Client { status, message }) => json!({ "error": format!("{message} (status {status:?})") }),
    }
}
