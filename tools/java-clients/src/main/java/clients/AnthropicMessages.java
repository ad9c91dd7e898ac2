package clients;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.core.JsonValue;
import com.anthropic.core.http.StreamResponse;
import com.anthropic.errors.AnthropicServiceException;
import com.anthropic.helpers.MessageAccumulator;
import com.anthropic.models.messages.Base64ImageSource;
import com.anthropic.models.messages.ContentBlock;
import com.anthropic.models.messages.ContentBlockParam;
import com.anthropic.models.messages.ImageBlockParam;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.RawMessageStreamEvent;
import com.anthropic.models.messages.Tool;
import com.anthropic.models.messages.ToolResultBlockParam;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** anthropic-java. */
final class AnthropicMessages implements Client {
    private final AnthropicClient client;

    AnthropicMessages(String url) {
        client = AnthropicOkHttpClient.builder()
                .baseUrl(url)
                .apiKey("any")
                .maxRetries(0)
                .build();
    }

    @Override
    public OptionalInt status(Throwable failure) {
        return failure instanceof AnthropicServiceException refused
                ? OptionalInt.of(refused.statusCode())
                : OptionalInt.empty();
    }

    private static MessageCreateParams.Builder request(Question asked) {
        return request(asked, List.of(ContentBlockParam.ofText(asked.prompt())));
    }

    private static MessageCreateParams.Builder request(Question asked, List<ContentBlockParam> content) {
        return MessageCreateParams.builder()
                .model(asked.model())
                .maxTokens(4000)
                .addUserMessageOfContentBlockParams(content);
    }

    private static Tool declared(Cases.Tool tool, boolean strict) {
        Tool.InputSchema.Properties.Builder properties = Tool.InputSchema.Properties.builder();
        tool.properties().forEach((name, value) -> properties.putAdditionalProperty(name, JsonValue.from(value)));
        return Tool.builder()
                .name(tool.name())
                .description(tool.description())
                .inputSchema(Tool.InputSchema.builder()
                        .properties(properties.build())
                        .required(List.of(tool.parameter()))
                        .putAdditionalProperty("additionalProperties", JsonValue.from(false))
                        .build())
                .strict(strict)
                .build();
    }

    private Message create(MessageCreateParams.Builder request) {
        return client.messages().create(request.build());
    }

    private Message accumulate(MessageCreateParams request, Consumer<String> reader) {
        MessageAccumulator accumulator = MessageAccumulator.create();
        try (StreamResponse<RawMessageStreamEvent> events = client.messages().createStreaming(request)) {
            events.stream().map(accumulator::accumulate).forEach(event -> textOf(event).ifPresent(reader));
        }
        return accumulator.message();
    }

    private static Optional<String> textOf(RawMessageStreamEvent event) {
        return event.contentBlockDelta()
                .flatMap(block -> block.delta().text())
                .map(delta -> delta.text());
    }

    private static String textOf(Message message) {
        return message.content().stream()
                .flatMap(block -> block.text().stream())
                .map(block -> block.text())
                .collect(Collectors.joining());
    }

    private static List<Long> usageOf(Message message) {
        return List.of(message.usage().inputTokens(), message.usage().outputTokens());
    }

    private static List<Object> callsOf(Message message) {
        List<Object> calls = new ArrayList<>();
        for (ContentBlock block : message.content()) {
            block.toolUse()
                    .ifPresent(called -> calls.add(Cases.call(called.name(), called._input().convert(Object.class))));
        }
        return calls;
    }

    @Override
    public Map<String, Object> text(Question asked) {
        Message message = create(request(asked));
        return Map.of("text", textOf(message), "usage", usageOf(message));
    }

    @Override
    public Map<String, Object> stream(Question asked) {
        List<String> deltas = new ArrayList<>();
        Message message = accumulate(request(asked).build(), deltas::add);
        return Map.of("deltas", deltas, "usage", usageOf(message));
    }

    @Override
    public Map<String, Object> twoTools(Question asked) {
        MessageCreateParams.Builder request = request(asked);
        Cases.TOOLS.forEach(tool -> request.addTool(declared(tool, false)));
        Message first = create(request);
        return Map.of("calls", callsOf(first), "text", textOf(answer(request, first)));
    }

    private Message answer(MessageCreateParams.Builder request, Message first) {
        List<ContentBlockParam> results = new ArrayList<>();
        for (ContentBlock block : first.content()) {
            block.toolUse()
                    .map(called -> ToolResultBlockParam.builder()
                            .toolUseId(called.id())
                            .content(Cases.resultOf(called.name()))
                            .build())
                    .map(ContentBlockParam::ofToolResult)
                    .ifPresent(results::add);
        }
        return create(request.addMessage(first).addUserMessageOfContentBlockParams(results));
    }

    @Override
    public Map<String, Object> strictStreamedTools(Question asked) {
        MessageCreateParams.Builder request = request(asked);
        Cases.TOOLS.forEach(tool -> request.addTool(declared(tool, true)));
        return Map.of("calls", callsOf(accumulate(request.build(), delta -> {})));
    }

    @Override
    public Map<String, Object> structured(Question asked) {
        MessageCreateParams request =
                request(asked).outputConfig(Cases.Person.class).build().rawParams();
        String value = textOf(client.messages().create(request));
        String streamed = textOf(accumulate(request, delta -> {}));
        return Map.of("value", Cases.parse(value), "streamed", Cases.parse(streamed), "sorted", true);
    }

    @Override
    public Map<String, Object> image(Question asked) {
        ImageBlockParam image = ImageBlockParam.builder()
                .source(Base64ImageSource.builder()
                        .data(asked.image())
                        .mediaType(Base64ImageSource.MediaType.IMAGE_PNG)
                        .build())
                .build();
        List<ContentBlockParam> content =
                List.of(ContentBlockParam.ofImage(image), ContentBlockParam.ofText(asked.prompt()));
        return Map.of("text", textOf(create(request(asked, content))));
    }

    @Override
    public Map<String, Object> reasoning(Question asked) {
        MessageCreateParams.Builder request =
                request(asked).addTool(declared(Cases.WEATHER, false)).enabledThinking(1024);
        Message first = create(request);
        String reasoning = first.content().stream()
                .flatMap(block -> block.thinking().stream())
                .map(block -> block.thinking())
                .collect(Collectors.joining());
        return Map.of("reasoning", reasoning, "text", textOf(answer(request, first)));
    }

    @Override
    public void deltas(Question asked, Predicate<String> reader) {
        try (StreamResponse<RawMessageStreamEvent> events =
                client.messages().createStreaming(request(asked).build())) {
            for (Iterator<RawMessageStreamEvent> each = events.stream().iterator(); each.hasNext(); ) {
                Optional<String> text = textOf(each.next());
                if (text.isPresent() && !reader.test(text.get())) return;
            }
        }
    }
}
