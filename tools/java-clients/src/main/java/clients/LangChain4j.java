package clients;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.HttpException;
import dev.langchain4j.model.anthropic.AnthropicChatModel;
import dev.langchain4j.model.anthropic.AnthropicStreamingChatModel;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.langchain4j.model.chat.request.ResponseFormatType;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonSchema;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.PartialResponse;
import dev.langchain4j.model.chat.response.PartialResponseContext;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;

/** LangChain4j with one of its models. */
final class LangChain4j implements Client {
    private final ChatModel model;
    private final StreamingChatModel streaming;
    /** The same model, which thinks. */
    private final ChatModel thinking;

    private LangChain4j(ChatModel model, StreamingChatModel streaming, ChatModel thinking) {
        this.model = model;
        this.streaming = streaming;
        this.thinking = thinking;
    }

    static LangChain4j openAI(String url) {
        return new LangChain4j(
                OpenAiChatModel.builder()
                        .baseUrl(url + "/v1")
                        .apiKey("any")
                        .maxRetries(0)
                        .strictJsonSchema(true)
                        .build(),
                OpenAiStreamingChatModel.builder()
                        .baseUrl(url + "/v1")
                        .apiKey("any")
                        .strictTools(true)
                        .strictJsonSchema(true)
                        .build(),
                null);
    }

    static LangChain4j anthropic(String url) {
        return new LangChain4j(
                anthropicModel(url).build(),
                AnthropicStreamingChatModel.builder()
                        .baseUrl(url + "/v1")
                        .apiKey("any")
                        .modelName("any")
                        .maxTokens(4000)
                        .strictTools(true)
                        .build(),
                anthropicModel(url)
                        .thinkingType("enabled")
                        .thinkingBudgetTokens(1024)
                        .returnThinking(true)
                        .sendThinking(true)
                        .build());
    }

    private static AnthropicChatModel.AnthropicChatModelBuilder anthropicModel(String url) {
        return AnthropicChatModel.builder()
                .baseUrl(url + "/v1")
                .apiKey("any")
                .modelName("any")
                .maxTokens(4000)
                .maxRetries(0);
    }

    @Override
    public OptionalInt status(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof HttpException refused) return OptionalInt.of(refused.statusCode());
        }
        return OptionalInt.empty();
    }

    private static ChatRequest.Builder request(Question asked, ChatMessage... messages) {
        return ChatRequest.builder().modelName(asked.model()).messages(messages);
    }

    private static ChatRequest.Builder request(Question asked) {
        return request(asked, UserMessage.from(asked.prompt()));
    }

    private static List<ToolSpecification> declared(List<Cases.Tool> tools) {
        return tools.stream()
                .map(tool -> ToolSpecification.builder()
                        .name(tool.name())
                        .description(tool.description())
                        .parameters(JsonObjectSchema.builder()
                                .addStringProperty(tool.parameter())
                                .required(tool.parameter())
                                .build())
                        .build())
                .toList();
    }

    private static List<Object> callsOf(ChatResponse response) {
        List<Object> calls = new ArrayList<>();
        for (ToolExecutionRequest call : response.aiMessage().toolExecutionRequests()) {
            calls.add(Cases.call(call.name(), Cases.parse(call.arguments())));
        }
        return calls;
    }

    private static List<Integer> usageOf(ChatResponse response) {
        return List.of(
                response.tokenUsage().inputTokenCount(), response.tokenUsage().outputTokenCount());
    }

    @Override
    public Map<String, Object> text(Question asked) {
        ChatResponse response = model.chat(request(asked).build());
        return Map.of("text", response.aiMessage().text(), "usage", usageOf(response));
    }

    @Override
    public Map<String, Object> stream(Question asked) throws Exception {
        List<String> deltas = new ArrayList<>();
        ChatResponse response = stream(request(asked).build(), deltas::add);
        return Map.of("deltas", deltas, "usage", usageOf(response));
    }

    /** Returns null if the reader stops the stream. */
    private ChatResponse stream(ChatRequest request, Predicate<String> reader) throws Exception {
        CompletableFuture<ChatResponse> complete = new CompletableFuture<>();
        streaming.chat(request, new StreamingChatResponseHandler() {
            @Override
            public void onPartialResponse(PartialResponse partial, PartialResponseContext context) {
                if (complete.isDone() || reader.test(partial.text())) return;
                context.streamingHandle().cancel();
                complete.complete(null);
            }

            @Override
            public void onCompleteResponse(ChatResponse response) {
                complete.complete(response);
            }

            @Override
            public void onError(Throwable failure) {
                complete.completeExceptionally(failure);
            }
        });
        try {
            return complete.get();
        } catch (ExecutionException failure) {
            throw new IllegalStateException(failure.getCause());
        }
    }

    @Override
    public Map<String, Object> twoTools(Question asked) {
        ChatResponse first = model.chat(
                request(asked).toolSpecifications(declared(Cases.TOOLS)).build());
        ChatResponse second = answer(model, asked, first, Cases.TOOLS);
        return Map.of("calls", callsOf(first), "text", second.aiMessage().text());
    }

    private static ChatResponse answer(ChatModel model, Question asked, ChatResponse first, List<Cases.Tool> tools) {
        AiMessage message = first.aiMessage();
        List<ChatMessage> messages = new ArrayList<>(List.of(UserMessage.from(asked.prompt()), message));
        for (ToolExecutionRequest call : message.toolExecutionRequests()) {
            messages.add(ToolExecutionResultMessage.from(call, Cases.resultOf(call.name())));
        }
        return model.chat(request(asked)
                .messages(messages)
                .toolSpecifications(declared(tools))
                .build());
    }

    @Override
    public Map<String, Object> strictStreamedTools(Question asked) throws Exception {
        ChatRequest request =
                request(asked).toolSpecifications(declared(Cases.TOOLS)).build();
        return Map.of("calls", callsOf(stream(request, delta -> true)));
    }

    @Override
    public Map<String, Object> structured(Question asked) throws Exception {
        JsonObjectSchema person = JsonObjectSchema.builder()
                .addStringProperty("name")
                .addIntegerProperty("age")
                .required("name", "age")
                .build();
        ResponseFormat format = ResponseFormat.builder()
                .type(ResponseFormatType.JSON)
                .jsonSchema(JsonSchema.builder().name("person").rootElement(person).build())
                .build();
        ChatRequest request = request(asked).responseFormat(format).build();
        String value = model.chat(request).aiMessage().text();
        String streamed = stream(request, delta -> true).aiMessage().text();
        return Map.of("value", Cases.parse(value), "streamed", Cases.parse(streamed));
    }

    @Override
    public Map<String, Object> image(Question asked) {
        UserMessage message =
                UserMessage.from(TextContent.from(asked.prompt()), ImageContent.from(asked.image(), "image/png"));
        return Map.of(
                "text", model.chat(request(asked, message).build()).aiMessage().text());
    }

    @Override
    public Map<String, Object> reasoning(Question asked) {
        if (thinking == null) throw new Unsupported("its messages keep no reasoning_details");
        List<Cases.Tool> tools = List.of(Cases.WEATHER);
        ChatResponse first = thinking.chat(
                request(asked).toolSpecifications(declared(tools)).build());
        ChatResponse second = answer(thinking, asked, first, tools);
        String thought = first.aiMessage().thinking();
        return Map.of(
                "reasoning", thought == null ? "" : thought, "text", second.aiMessage().text());
    }

    @Override
    public void deltas(Question asked, Predicate<String> reader) throws Exception {
        boolean isOpenAI = streaming instanceof OpenAiStreamingChatModel;
        if (isOpenAI && asked.name().equals("broken stream")) {
            throw new Unsupported("it reads an error only in an event named error");
        }
        stream(request(asked).build(), reader);
    }
}
