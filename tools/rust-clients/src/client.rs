//! A client library behind one trait, and the cases that are the same for each of them. A method asks what its case is
//! about and returns what the library saw; it checks nothing itself.

use futures::StreamExt;
use futures::stream::BoxStream;
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Clone, Deserialize)]
pub struct Question {
    pub client: String,
    pub case: String,
    pub model: String,
    pub prompt: String,
    /// A PNG file in base64.
    pub image: String,
}

pub enum Failure {
    /// The client cannot express the case. The text says why.
    Unsupported(&'static str),
    /// An error of the client, with the HTTP status if it has one.
    Client { status: Option<u16>, message: String },
}

impl Failure {
    pub fn other(message: impl ToString) -> Self {
        Self::Client { status: None, message: message.to_string() }
    }
}

/// What the client saw: the members that the cases in test/support/clients/cases.ts read.
pub type Seen = Result<Value, Failure>;
pub type Texts = BoxStream<'static, Result<String, Failure>>;

pub trait Client {
    async fn text(&self, asked: &Question) -> Seen;
    async fn stream(&self, asked: &Question) -> Seen;
    async fn two_tools(&self, asked: &Question) -> Seen;
    async fn strict_streamed_tools(&self, asked: &Question) -> Seen;
    async fn structured(&self, asked: &Question) -> Seen;
    async fn image(&self, asked: &Question) -> Seen;
    async fn reasoning(&self, asked: &Question) -> Seen;
    /// The texts of a streamed response.
    async fn deltas(&self, asked: &Question) -> Result<Texts, Failure>;
}

pub async fn perform(client: &impl Client, asked: &Question) -> Seen {
    match asked.case.as_str() {
        "text" => client.text(asked).await,
        "stream" => client.stream(asked).await,
        "two tools" => client.two_tools(asked).await,
        "strict streamed tools" => client.strict_streamed_tools(asked).await,
        "structured" => client.structured(asked).await,
        "image" => client.image(asked).await,
        "reasoning" => client.reasoning(asked).await,
        "error" => read_statuses(client, asked).await,
        "broken stream" => read_until_failure(client, asked).await,
        "cancel" => cancel_at_first(client, asked).await,
        other => Err(Failure::other(format!("unknown case {other:?}"))),
    }
}

/// The status of the error that each prompt ends with.
async fn read_statuses(client: &impl Client, asked: &Question) -> Seen {
    let mut statuses = Map::new();
    for status in [400, 401, 403, 404, 429, 500, 503, 529] {
        let asked = Question { prompt: format!("status {status}"), ..asked.clone() };
        match client.text(&asked).await {
            Err(Failure::Client { status: Some(received), .. }) => {
                statuses.insert(status.to_string(), json!(received));
            }
            Err(failure) => return Err(failure),
            Ok(_) => return Err(Failure::other(format!("status {status} became a response"))),
        }
    }
    Ok(json!({ "statuses": statuses }))
}

/// The text before a stream fails.
async fn read_until_failure(client: &impl Client, asked: &Question) -> Seen {
    let mut texts = client.deltas(asked).await?;
    let mut text = String::new();
    while let Some(next) = texts.next().await {
        match next {
            Ok(delta) => text += &delta,
            Err(_) => return Ok(json!({ "text": text, "failed": true })),
        }
    }
    Ok(json!({ "text": text, "failed": false }))
}

/// Drops a stream when the first text has arrived.
async fn cancel_at_first(client: &impl Client, asked: &Question) -> Seen {
    let mut texts = client.deltas(asked).await?;
    while let Some(next) = texts.next().await {
        let delta = next?;
        if !delta.is_empty() {
            return Ok(json!({ "text": delta }));
        }
    }
    Err(Failure::other("the stream ended without a text"))
}

pub struct Tool {
    pub name: &'static str,
    pub description: &'static str,
    parameter: &'static str,
    result: &'static str,
}

pub const WEATHER: Tool =
    Tool { name: "get_weather", description: "The weather in a city.", parameter: "city", result: "21 °C" };
const TIME: Tool = Tool { name: "get_time", description: "The time in a zone.", parameter: "zone", result: "noon" };
pub const TOOLS: [Tool; 2] = [WEATHER, TIME];

impl Tool {
    pub fn schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": { self.parameter: { "type": "string" } },
            "required": [self.parameter],
            "additionalProperties": false,
        })
    }
}

pub fn result_of(name: &str) -> &'static str {
    TOOLS.iter().find(|tool| tool.name == name).map_or("no such tool", |tool| tool.result)
}

/// A call, as the cases read it.
pub fn seen_call(name: &str, arguments: &str) -> Result<Value, Failure> {
    let input: Value = serde_json::from_str(arguments).map_err(Failure::other)?;
    Ok(json!([name, input]))
}

pub fn parse_person(text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text).map_err(|error| Failure::other(format!("{error} in {text:?}")))
}

pub fn person_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "age": { "type": "integer" } },
        "required": ["name", "age"],
        "additionalProperties": false,
    })
}
