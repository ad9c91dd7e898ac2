//! async-openai with responses. Requests are read into the types of the library, and its items are sent back.

use async_openai::Client as OpenAI;
use async_openai::config::OpenAIConfig;
use async_openai::types::responses::{CreateResponse, OutputItem, Response, ResponseStreamEvent, SummaryPart};
use futures::{StreamExt, future};
use serde_json::{Value, json};

use crate::async_openai_chat::{new_client, with};
use crate::client::{
    Client, Failure, Question, Seen, TOOLS, Texts, Tool, WEATHER, parse_person, person_schema, result_of, seen_call,
};

pub struct Responses {
    client: OpenAI<OpenAIConfig>,
}

fn request(asked: &Question) -> Value {
    json!({ "model": asked.model, "input": [user(json!(asked.prompt))] })
}

fn user(content: Value) -> Value {
    json!({ "type": "message", "role": "user", "content": content })
}

fn declared(tools: &[Tool], strict: bool) -> Value {
    tools
        .iter()
        .map(|tool| {
            let Tool { name, description, .. } = tool;
            json!({
                "type": "function",
                "name": name,
                "description": description,
                "parameters": tool.schema(),
                "strict": strict,
            })
        })
        .collect()
}

fn text_of(response: &Response) -> String {
    response.output_text().unwrap_or_default()
}

fn calls_of(response: &Response) -> Result<Vec<Value>, Failure> {
    let calls = response.output.iter().filter_map(|item| match item {
        OutputItem::FunctionCall(called) => Some(seen_call(&called.name, &called.arguments)),
        _ => None,
    });
    calls.collect()
}

fn usage_of(response: &Response) -> Option<[u32; 2]> {
    response.usage.as_ref().map(|usage| [usage.input_tokens, usage.output_tokens])
}

impl Responses {
    pub fn new(url: &str) -> Self {
        Self { client: new_client(url) }
    }

    async fn create(&self, request: Value) -> Result<Response, Failure> {
        let request: CreateResponse = serde_json::from_value(request).map_err(Failure::other)?;
        Ok(self.client.responses().create(request).await?)
    }

    /// The texts of a stream, and the response at its end.
    async fn complete(&self, request: Value) -> Result<(Vec<String>, Response), Failure> {
        let request: CreateResponse = serde_json::from_value(request).map_err(Failure::other)?;
        let mut events = self.client.responses().create_stream(request).await?;
        let (mut deltas, mut response) = (Vec::new(), None);
        while let Some(event) = events.next().await {
            match event? {
                ResponseStreamEvent::ResponseOutputTextDelta(event) => deltas.push(event.delta),
                ResponseStreamEvent::ResponseCompleted(event) => response = Some(event.response),
                _ => {}
            }
        }
        Ok((deltas, response.ok_or(Failure::other("the stream ended without a response"))?))
    }

    /// Asks, sends the results of the calls back with the whole conversation, and returns both responses.
    async fn answer_calls(&self, asked: &Question, members: Value) -> Result<(Response, Response), Failure> {
        let request = with(with(request(asked), json!({ "store": false })), members);
        let first = self.create(request.clone()).await?;
        let mut input = vec![user(json!(asked.prompt))];
        for item in &first.output {
            input.push(serde_json::to_value(item).map_err(Failure::other)?);
        }
        for item in &first.output {
            let OutputItem::FunctionCall(called) = item else { continue };
            let output = result_of(&called.name);
            input.push(json!({ "type": "function_call_output", "call_id": called.call_id, "output": output }));
        }
        let second = self.create(with(request, json!({ "input": input }))).await?;
        Ok((first, second))
    }
}

impl Client for Responses {
    async fn text(&self, asked: &Question) -> Seen {
        let response = self.create(request(asked)).await?;
        Ok(json!({ "text": text_of(&response), "usage": usage_of(&response) }))
    }

    async fn stream(&self, asked: &Question) -> Seen {
        let (deltas, response) = self.complete(request(asked)).await?;
        Ok(json!({ "deltas": deltas, "usage": usage_of(&response) }))
    }

    async fn two_tools(&self, asked: &Question) -> Seen {
        let (first, second) = self.answer_calls(asked, json!({ "tools": declared(&TOOLS, false) })).await?;
        Ok(json!({ "calls": calls_of(&first)?, "text": text_of(&second) }))
    }

    async fn strict_streamed_tools(&self, asked: &Question) -> Seen {
        let request = with(request(asked), json!({ "tools": declared(&TOOLS, true) }));
        let (_, response) = self.complete(request).await?;
        Ok(json!({ "calls": calls_of(&response)? }))
    }

    async fn structured(&self, asked: &Question) -> Seen {
        let format = json!({ "type": "json_schema", "name": "person", "schema": person_schema(), "strict": true });
        let request = with(request(asked), json!({ "text": { "format": format } }));
        let value = parse_person(&text_of(&self.create(request.clone()).await?))?;
        let (_, response) = self.complete(request).await?;
        Ok(json!({ "value": value, "streamed": parse_person(&text_of(&response))? }))
    }

    async fn image(&self, asked: &Question) -> Seen {
        let url = format!("data:image/png;base64,{}", asked.image);
        let content = json!([
            { "type": "input_text", "text": asked.prompt },
            { "type": "input_image", "detail": "auto", "image_url": url },
        ]);
        let response = self.create(with(request(asked), json!({ "input": [user(content)] }))).await?;
        Ok(json!({ "text": text_of(&response) }))
    }

    async fn reasoning(&self, asked: &Question) -> Seen {
        let members = json!({
            "tools": declared(&[WEATHER], false),
            "include": ["reasoning.encrypted_content"],
            "reasoning": { "effort": "low", "summary": "auto" },
        });
        let (first, second) = self.answer_calls(asked, members).await?;
        let mut reasoning = String::new();
        for item in &first.output {
            let OutputItem::Reasoning(item) = item else { continue };
            for SummaryPart::SummaryText(part) in &item.summary {
                reasoning += &part.text;
            }
        }
        Ok(json!({ "reasoning": reasoning, "text": text_of(&second) }))
    }

    async fn deltas(&self, asked: &Question) -> Result<Texts, Failure> {
        let request: CreateResponse = serde_json::from_value(request(asked)).map_err(Failure::other)?;
        let events = self.client.responses().create_stream(request).await?;
        let texts = events.filter_map(|event| {
            future::ready(match event {
                Ok(ResponseStreamEvent::ResponseOutputTextDelta(event)) => Some(Ok(event.delta)),
                Ok(ResponseStreamEvent::ResponseError(event)) => Some(Err(Failure::other(event.message))),
                Ok(ResponseStreamEvent::ResponseFailed(_)) => Some(Err(Failure::other("response.failed"))),
                Ok(_) => None,
                Err(error) => Some(Err(error.into())),
            })
        });
        Ok(texts.boxed())
    }
}
