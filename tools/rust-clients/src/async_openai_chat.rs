//! async-openai with chat completions. Requests are read into the types of the library.

use async_openai::Client as OpenAI;
use async_openai::config::OpenAIConfig;
use async_openai::error::OpenAIError;
use async_openai::types::chat::{
    ChatCompletionMessageToolCalls, ChatCompletionResponseMessage, CreateChatCompletionRequest,
    CreateChatCompletionResponse,
};
use futures::StreamExt;
use serde_json::{Value, json};

use crate::client::{
    Client, Failure, Question, Seen, TOOLS, Texts, Tool, parse_person, person_schema, result_of, seen_call,
};

pub struct Chat {
    client: OpenAI<OpenAIConfig>,
}

pub fn new_client(url: &str) -> OpenAI<OpenAIConfig> {
    OpenAI::with_config(OpenAIConfig::new().with_api_base(format!("{url}/v1")).with_api_key("any"))
}

impl From<OpenAIError> for Failure {
    fn from(error: OpenAIError) -> Self {
        let status = match &error {
            OpenAIError::ApiError(response) => Some(response.status_code.as_u16()),
            _ => None,
        };
        Self::Client { status, message: error.to_string() }
    }
}

/// A request with the members of the second object added or replaced.
pub fn with(mut request: Value, members: Value) -> Value {
    if let (Some(request), Value::Object(members)) = (request.as_object_mut(), members) {
        request.extend(members);
    }
    request
}

fn request(asked: &Question) -> Value {
    json!({ "model": asked.model, "messages": [{ "role": "user", "content": asked.prompt }] })
}

fn declared(tools: &[Tool], strict: bool) -> Value {
    tools
        .iter()
        .map(|tool| {
            let Tool { name, description, .. } = tool;
            let parameters = tool.schema();
            let function =
                json!({ "name": name, "description": description, "parameters": parameters, "strict": strict });
            json!({ "type": "function", "function": function })
        })
        .collect()
}

fn message(completion: CreateChatCompletionResponse) -> Result<ChatCompletionResponseMessage, Failure> {
    completion.choices.into_iter().next().map(|choice| choice.message).ok_or(Failure::other("no choice"))
}

fn content(completion: CreateChatCompletionResponse) -> Result<String, Failure> {
    Ok(message(completion)?.content.unwrap_or_default())
}

impl Chat {
    pub fn new(url: &str) -> Self {
        Self { client: new_client(url) }
    }

    async fn create(&self, request: Value) -> Result<CreateChatCompletionResponse, Failure> {
        let request: CreateChatCompletionRequest = serde_json::from_value(request).map_err(Failure::other)?;
        Ok(self.client.chat().create(request).await?)
    }

    async fn texts(&self, request: Value) -> Result<Texts, Failure> {
        let request: CreateChatCompletionRequest = serde_json::from_value(request).map_err(Failure::other)?;
        let chunks = self.client.chat().create_stream(request).await?;
        let texts = chunks.map(|chunk| {
            let choices = chunk?.choices;
            Ok(choices.into_iter().filter_map(|choice| choice.delta.content).collect::<String>())
        });
        Ok(texts.boxed())
    }
}

impl Client for Chat {
    async fn text(&self, asked: &Question) -> Seen {
        let completion = self.create(request(asked)).await?;
        let usage = completion.usage.as_ref().map(|usage| [usage.prompt_tokens, usage.completion_tokens]);
        Ok(json!({ "usage": usage, "text": content(completion)? }))
    }

    async fn stream(&self, asked: &Question) -> Seen {
        let request = with(request(asked), json!({ "stream_options": { "include_usage": true } }));
        let request: CreateChatCompletionRequest = serde_json::from_value(request).map_err(Failure::other)?;
        let mut chunks = self.client.chat().create_stream(request).await?;
        let (mut deltas, mut usage) = (Vec::new(), None);
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk?;
            usage = chunk.usage.map(|usage| [usage.prompt_tokens, usage.completion_tokens]).or(usage);
            deltas.extend(chunk.choices.into_iter().filter_map(|choice| choice.delta.content));
        }
        Ok(json!({ "deltas": deltas, "usage": usage }))
    }

    async fn two_tools(&self, asked: &Question) -> Seen {
        let request = with(request(asked), json!({ "tools": declared(&TOOLS, false) }));
        let first = message(self.create(request.clone()).await?)?;
        let mut messages = vec![json!({ "role": "user", "content": asked.prompt })];
        messages.push(json!({ "role": "assistant", "tool_calls": first.tool_calls }));
        let mut calls = Vec::new();
        for called in first.tool_calls.unwrap_or_default() {
            let ChatCompletionMessageToolCalls::Function(called) = called else { continue };
            let name = &called.function.name;
            calls.push(seen_call(name, &called.function.arguments)?);
            messages.push(json!({ "role": "tool", "tool_call_id": called.id, "content": result_of(name) }));
        }
        let second = self.create(with(request, json!({ "messages": messages }))).await?;
        Ok(json!({ "calls": calls, "text": content(second)? }))
    }

    async fn strict_streamed_tools(&self, asked: &Question) -> Seen {
        let request = with(request(asked), json!({ "tools": declared(&TOOLS, true) }));
        let request: CreateChatCompletionRequest = serde_json::from_value(request).map_err(Failure::other)?;
        let mut chunks = self.client.chat().create_stream(request).await?;
        let mut calls: Vec<(String, String)> = Vec::new();
        while let Some(chunk) = chunks.next().await {
            for fragment in chunk?.choices.into_iter().flat_map(|choice| choice.delta.tool_calls.unwrap_or_default()) {
                let index = fragment.index as usize;
                calls.resize_with(calls.len().max(index + 1), Default::default);
                let Some(function) = fragment.function else { continue };
                calls[index].0 += &function.name.unwrap_or_default();
                calls[index].1 += &function.arguments.unwrap_or_default();
            }
        }
        let calls: Result<Vec<Value>, Failure> =
            calls.iter().map(|(name, arguments)| seen_call(name, arguments)).collect();
        Ok(json!({ "calls": calls? }))
    }

    async fn structured(&self, asked: &Question) -> Seen {
        let schema = json!({ "name": "person", "schema": person_schema(), "strict": true });
        let format = json!({ "type": "json_schema", "json_schema": schema });
        let request = with(request(asked), json!({ "response_format": format }));
        let value = parse_person(&content(self.create(request.clone()).await?)?)?;
        let mut texts = self.texts(request).await?;
        let mut text = String::new();
        while let Some(delta) = texts.next().await {
            text += &delta?;
        }
        Ok(json!({ "value": value, "streamed": parse_person(&text)? }))
    }

    async fn image(&self, asked: &Question) -> Seen {
        let url = format!("data:image/png;base64,{}", asked.image);
        let parts = json!([
            { "type": "text", "text": asked.prompt },
            { "type": "image_url", "image_url": { "url": url } },
        ]);
        let request = with(request(asked), json!({ "messages": [{ "role": "user", "content": parts }] }));
        Ok(json!({ "text": content(self.create(request).await?)? }))
    }

    async fn reasoning(&self, _: &Question) -> Seen {
        Err(Failure::Unsupported("its types have no reasoning in chat completions"))
    }

    async fn deltas(&self, asked: &Question) -> Result<Texts, Failure> {
        self.texts(request(asked)).await
    }
}
