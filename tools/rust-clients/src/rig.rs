//! rig with one of its providers. The requests are the same for each of them.

use futures::{StreamExt, future};
use rig_core::completion::{
    CompletionRequest, CompletionResponse, Message, ToolDefinition, message::ImageMediaType,
    message::ToolResultContent, message::UserContent,
};
use rig_core::operation::Completion;
use rig_core::providers::{anthropic, gemini, openai};
use rig_core::streaming::{Item, StreamEvent};
use rig_core::{DynModel, ProviderError, schemars};
use serde_json::{Value, json};

use crate::client::{
    Client, Failure, Question, Seen, TOOLS, Texts, Tool, WEATHER, parse_person, person_schema, result_of,
};

type Model = DynModel<Completion>;

pub struct Rig {
    open: Box<dyn Fn(&str) -> Model>,
    /// The same model, with strict tools.
    open_strict: Option<Box<dyn Fn(&str) -> Model>>,
    /// The members of a request that ask for reasoning and its text.
    reasoning: Value,
    /// Whether it leaves out the ids of calls, because the name of the model is not one that it knows to have them.
    omits_ids: bool,
}

pub fn openai_chat(url: &str) -> Rig {
    let client = openai::OpenAIConfig::new("any").with_base_url(format!("{url}/v1")).client();
    Rig {
        open: Box::new(move |model| client.chat(model).into()),
        open_strict: None,
        reasoning: json!({ "reasoning_effort": "low" }),
        omits_ids: false,
    }
}

pub fn openai_responses(url: &str) -> Rig {
    let client = openai::OpenAIConfig::new("any").with_base_url(format!("{url}/v1")).client();
    let strict = client.clone();
    Rig {
        open: Box::new(move |model| client.responses(model).into()),
        open_strict: Some(Box::new(move |model| {
            let model = strict.responses(model);
            rig_core::Model::new(model.wire.with_strict_tools(), model.transport).into()
        })),
        reasoning: json!({ "reasoning": { "effort": "low", "summary": "auto" } }),
        omits_ids: false,
    }
}

pub fn anthropic(url: &str) -> Rig {
    let client = anthropic::AnthropicConfig::new("any").with_base_url(url).client();
    let strict = client.clone();
    Rig {
        open: Box::new(move |model| client.completion(model).into()),
        open_strict: Some(Box::new(move |model| {
            let model = strict.completion(model);
            rig_core::Model::new(model.wire.with_strict_tools(), model.transport).into()
        })),
        reasoning: json!({ "thinking": { "type": "enabled", "budget_tokens": 1024 } }),
        omits_ids: false,
    }
}

pub fn gemini(url: &str) -> Rig {
    let client = gemini::GeminiConfig::new("any").with_base_url(url).client();
    let reasoning = json!({ "thinkingLevel": "low", "includeThoughts": true });
    Rig {
        open: Box::new(move |model| client.completion(model).into()),
        open_strict: None,
        reasoning: json!({ "generationConfig": { "thinkingConfig": reasoning } }),
        omits_ids: true,
    }
}

impl From<ProviderError> for Failure {
    fn from(error: ProviderError) -> Self {
        let status = error.provider_response_status().map(|status| status.as_u16());
        Self::Client { status, message: error.to_string() }
    }
}

fn request(asked: &Question) -> CompletionRequest {
    CompletionRequest::new(asked.prompt.as_str()).max_tokens(4000)
}

fn declared(tools: &[Tool]) -> Result<Vec<ToolDefinition>, Failure> {
    let declare = |tool: &Tool| Ok(ToolDefinition::new(tool.name.try_into()?, tool.description, tool.schema()));
    let tools: Result<Vec<_>, rig_core::message::EmptyToolName> = tools.iter().map(declare).collect();
    tools.map_err(Failure::other)
}

fn calls_of(response: &CompletionResponse) -> Value {
    response.tool_calls().map(|call| json!([call.function.name, call.function.arguments])).collect()
}

fn usage_of(response: &CompletionResponse) -> Value {
    json!([response.usage.input_tokens, response.usage.output_tokens])
}

impl Rig {
    /// Asks, sends the results of the calls back, and returns both responses.
    async fn answer_calls(
        &self,
        asked: &Question,
        request: CompletionRequest,
    ) -> Result<(CompletionResponse, CompletionResponse), Failure> {
        let model = (self.open)(&asked.model);
        let first = model.call(request.clone()).await?;
        let results = first.tool_calls().map(|call| {
            UserContent::ToolResult(call.result(vec![ToolResultContent::text(result_of(call.function.name.as_str()))]))
        });
        let results = Message::User { content: results.collect() };
        let mut request = request;
        request.chat_history.extend(first.message());
        request.chat_history.push(results);
        let second = model.call(request).await?;
        Ok((first, second))
    }
}

impl Client for Rig {
    async fn text(&self, asked: &Question) -> Seen {
        let response = (self.open)(&asked.model).call(request(asked)).await?;
        Ok(json!({ "text": response.text(), "usage": usage_of(&response) }))
    }

    async fn stream(&self, asked: &Question) -> Seen {
        let mut items = (self.open)(&asked.model).stream(request(asked))?;
        let mut deltas = Vec::new();
        while let Some(item) = items.next().await {
            if let Item::Event(StreamEvent::Text { text, .. }) = item? {
                deltas.push(text);
            }
        }
        Ok(json!({ "deltas": deltas, "usage": usage_of(&items.finish().await?) }))
    }

    async fn two_tools(&self, asked: &Question) -> Seen {
        let (first, second) = self.answer_calls(asked, request(asked).tools(declared(&TOOLS)?)).await?;
        Ok(json!({ "calls": calls_of(&first), "text": second.text(), "omitsIds": self.omits_ids }))
    }

    async fn strict_streamed_tools(&self, asked: &Question) -> Seen {
        let open = self.open_strict.as_ref().ok_or(Failure::Unsupported("it sends no strict flag of a tool"))?;
        let response = open(&asked.model).stream(request(asked).tools(declared(&TOOLS)?))?.finish().await?;
        Ok(json!({ "calls": calls_of(&response) }))
    }

    async fn structured(&self, asked: &Question) -> Seen {
        let schema = schemars::Schema::try_from(person_schema()).map_err(Failure::other)?;
        let request = request(asked).output_schema(schema);
        let model = (self.open)(&asked.model);
        let value = parse_person(&model.call(request.clone()).await?.text())?;
        let streamed = parse_person(&model.stream(request)?.finish().await?.text())?;
        Ok(json!({ "value": value, "streamed": streamed }))
    }

    async fn image(&self, asked: &Question) -> Seen {
        let content = vec![
            UserContent::text(&asked.prompt),
            UserContent::image_base64(&asked.image, Some(ImageMediaType::PNG), None),
        ];
        let request = CompletionRequest::new(Message::User { content }).max_tokens(4000);
        Ok(json!({ "text": (self.open)(&asked.model).call(request).await?.text() }))
    }

    async fn reasoning(&self, asked: &Question) -> Seen {
        let request = request(asked).tools(declared(&[WEATHER])?).additional_params(self.reasoning.clone());
        let (first, second) = self.answer_calls(asked, request).await?;
        Ok(json!({ "reasoning": first.reasoning(), "text": second.text() }))
    }

    async fn deltas(&self, asked: &Question) -> Result<Texts, Failure> {
        let items = (self.open)(&asked.model).stream(request(asked))?;
        let texts = items.filter_map(|item| {
            future::ready(match item {
                Ok(Item::Event(StreamEvent::Text { text, .. })) => Some(Ok(text)),
                Ok(_) => None,
                Err(error) => Some(Err(error.into())),
            })
        });
        Ok(texts.boxed())
    }
}
