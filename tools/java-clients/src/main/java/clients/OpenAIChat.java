package clients;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.errors.OpenAIServiceException;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.FunctionDefinition;
import com.openai.models.FunctionParameters;
import com.openai.models.ReasoningEffort;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionAssistantMessageParam;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionContentPart;
import com.openai.models.chat.completions.ChatCompletionContentPartImage;
import com.openai.models.chat.completions.ChatCompletionContentPartText;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionMessage;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** openai-java with chat completions. */
final class OpenAIChat implements Client {
    private final OpenAIClient client;

    OpenAIChat(String url) {
        client = open(url);
    }

    static OpenAIClient open(String url) {
        return OpenAIOkHttpClient.builder()
                .baseUrl(url + "/v1")
                .apiKey("any")
                .maxRetries(0)
                .build();
    }

    static OptionalInt statusOf(Throwable failure) {
        return failure instanceof OpenAIServiceException refused
                ? OptionalInt.of(refused.statusCode())
                : OptionalInt.empty();
    }

    @Override
    public OptionalInt status(Throwable failure) {
        return statusOf(failure);
    }

    private static ChatCompletionCreateParams.Builder request(Question asked) {
        return ChatCompletionCreateParams.builder().model(asked.model()).addUserMessage(asked.prompt());
    }

    private static FunctionDefinition declared(Cases.Tool tool, boolean strict) {
        FunctionParameters.Builder parameters = FunctionParameters.builder();
        tool.schema().forEach((name, value) -> parameters.putAdditionalProperty(name, JsonValue.from(value)));
        return FunctionDefinition.builder()
                .name(tool.name())
                .description(tool.description())
                .parameters(parameters.build())
                .strict(strict)
                .build();
    }

    private ChatCompletion create(ChatCompletionCreateParams.Builder request) {
        return client.chat().completions().create(request.build());
    }

    private ChatCompletion accumulate(ChatCompletionCreateParams request, Consumer<String> reader) {
        ChatCompletionAccumulator accumulator = ChatCompletionAccumulator.create();
        try (StreamResponse<ChatCompletionChunk> chunks = client.chat().completions().createStreaming(request)) {
            chunks.stream().map(accumulator::accumulate).forEach(chunk -> textsOf(chunk).forEach(reader));
        }
        return accumulator.chatCompletion();
    }

    private static List<String> textsOf(ChatCompletionChunk chunk) {
        return chunk.choices().stream()
                .flatMap(choice -> choice.delta().content().stream())
                .toList();
    }

    private static ChatCompletionMessage messageOf(ChatCompletion completion) {
        return completion.choices().get(0).message();
    }

    private static String textOf(ChatCompletion completion) {
        return messageOf(completion).content().orElse("");
    }

    private static List<Long> usageOf(ChatCompletion completion) {
        return completion.usage()
                .map(usage -> List.of(usage.promptTokens(), usage.completionTokens()))
                .orElseThrow();
    }

    private static List<Object> callsOf(ChatCompletion completion) {
        List<Object> calls = new ArrayList<>();
        for (var called : messageOf(completion).toolCalls().orElse(List.of())) {
            var function = called.asFunction().function();
            calls.add(Cases.call(function.name(), Cases.parse(function.arguments())));
        }
        return calls;
    }

    @Override
    public Map<String, Object> text(Question asked) {
        ChatCompletion completion = create(request(asked));
        return Map.of("text", textOf(completion), "usage", usageOf(completion));
    }

    @Override
    public Map<String, Object> stream(Question asked) {
        ChatCompletionStreamOptions options =
                ChatCompletionStreamOptions.builder().includeUsage(true).build();
        List<String> deltas = new ArrayList<>();
        ChatCompletion completion = accumulate(request(asked).streamOptions(options).build(), deltas::add);
        return Map.of("deltas", deltas, "usage", usageOf(completion));
    }

    @Override
    public Map<String, Object> twoTools(Question asked) {
        ChatCompletionCreateParams.Builder request = request(asked);
        Cases.TOOLS.forEach(tool -> request.addFunctionTool(declared(tool, false)));
        ChatCompletion first = create(request);
        ChatCompletion second = answer(request, first);
        return Map.of("calls", callsOf(first), "text", textOf(second));
    }

    private ChatCompletion answer(ChatCompletionCreateParams.Builder request, ChatCompletion first) {
        request.addMessage(returned(messageOf(first)));
        for (var called : messageOf(first).toolCalls().orElse(List.of())) {
            request.addMessage(ChatCompletionToolMessageParam.builder()
                    .toolCallId(called.asFunction().id())
                    .content(Cases.resultOf(called.asFunction().function().name()))
                    .build());
        }
        return create(request);
    }

    /** `toParam` leaves out the members that have no type, so the reasoning is added. */
    private static ChatCompletionAssistantMessageParam returned(ChatCompletionMessage message) {
        ChatCompletionAssistantMessageParam.Builder builder = message.toParam().toBuilder();
        JsonValue details = message._additionalProperties().get("reasoning_details");
        if (details != null) builder.putAdditionalProperty("reasoning_details", details);
        return builder.build();
    }

    @Override
    public Map<String, Object> strictStreamedTools(Question asked) {
        ChatCompletionCreateParams.Builder request = request(asked);
        Cases.TOOLS.forEach(tool -> request.addFunctionTool(declared(tool, true)));
        return Map.of("calls", callsOf(accumulate(request.build(), delta -> {})));
    }

    @Override
    public Map<String, Object> structured(Question asked) {
        ChatCompletionCreateParams request =
                request(asked).responseFormat(Cases.Person.class).build().rawParams();
        String value = textOf(client.chat().completions().create(request));
        String streamed = textOf(accumulate(request, delta -> {}));
        return Map.of("value", Cases.parse(value), "streamed", Cases.parse(streamed), "sorted", true);
    }

    @Override
    public Map<String, Object> image(Question asked) {
        ChatCompletionContentPartText text =
                ChatCompletionContentPartText.builder().text(asked.prompt()).build();
        ChatCompletionContentPartImage image = ChatCompletionContentPartImage.builder()
                .imageUrl(ChatCompletionContentPartImage.ImageUrl.builder()
                        .url("data:image/png;base64," + asked.image())
                        .build())
                .build();
        return Map.of(
                "text",
                textOf(create(ChatCompletionCreateParams.builder()
                        .model(asked.model())
                        .addUserMessageOfArrayOfContentParts(List.of(
                                ChatCompletionContentPart.ofText(text),
                                ChatCompletionContentPart.ofImageUrl(image))))));
    }

    @Override
    public Map<String, Object> reasoning(Question asked) {
        ChatCompletionCreateParams.Builder request = request(asked)
                .addFunctionTool(declared(Cases.WEATHER, false))
                .reasoningEffort(ReasoningEffort.LOW);
        ChatCompletion first = create(request);
        JsonValue reasoning = messageOf(first)._additionalProperties().get("reasoning_content");
        return Map.of(
                "reasoning", reasoning == null ? "" : reasoning.asStringOrThrow(),
                "text", textOf(answer(request, first)));
    }

    @Override
    public void deltas(Question asked, Predicate<String> reader) {
        try (StreamResponse<ChatCompletionChunk> chunks =
                client.chat().completions().createStreaming(request(asked).build())) {
            for (Iterator<ChatCompletionChunk> each = chunks.stream().iterator(); each.hasNext(); ) {
                for (String text : textsOf(each.next())) {
                    if (!reader.test(text)) return;
                }
            }
        }
    }
}
