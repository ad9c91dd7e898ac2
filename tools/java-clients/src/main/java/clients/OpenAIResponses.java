package clients;

import com.openai.client.OpenAIClient;
import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.helpers.ResponseAccumulator;
import com.openai.models.Reasoning;
import com.openai.models.ReasoningEffort;
import com.openai.models.responses.EasyInputMessage;
import com.openai.models.responses.FunctionTool;
import com.openai.models.responses.Response;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseIncludable;
import com.openai.models.responses.ResponseInputContent;
import com.openai.models.responses.ResponseInputImage;
import com.openai.models.responses.ResponseInputItem;
import com.openai.models.responses.ResponseInputText;
import com.openai.models.responses.ResponseOutputItem;
import com.openai.models.responses.ResponseStreamEvent;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** openai-java with responses. */
final class OpenAIResponses implements Client {
    private final OpenAIClient client;

    OpenAIResponses(String url) {
        client = OpenAIChat.open(url);
    }

    @Override
    public OptionalInt status(Throwable failure) {
        return OpenAIChat.statusOf(failure);
    }

    private static ResponseInputItem user(EasyInputMessage.Builder message) {
        return ResponseInputItem.ofEasyInputMessage(
                message.role(EasyInputMessage.Role.USER).build());
    }

    private static ResponseCreateParams.Builder request(Question asked) {
        return ResponseCreateParams.builder()
                .model(asked.model())
                .inputOfResponse(List.of(user(EasyInputMessage.builder().content(asked.prompt()))));
    }

    private static FunctionTool declared(Cases.Tool tool, boolean strict) {
        FunctionTool.Parameters.Builder parameters = FunctionTool.Parameters.builder();
        tool.schema().forEach((name, value) -> parameters.putAdditionalProperty(name, JsonValue.from(value)));
        return FunctionTool.builder()
                .name(tool.name())
                .description(tool.description())
                .parameters(parameters.build())
                .strict(strict)
                .build();
    }

    private Response create(ResponseCreateParams.Builder request) {
        return client.responses().create(request.build());
    }

    private Response accumulate(ResponseCreateParams request, Consumer<String> reader) {
        ResponseAccumulator accumulator = ResponseAccumulator.create();
        try (StreamResponse<ResponseStreamEvent> events = client.responses().createStreaming(request)) {
            events.stream()
                    .map(accumulator::accumulate)
                    .forEach(event -> event.outputTextDelta().ifPresent(delta -> reader.accept(delta.delta())));
        }
        return accumulator.response();
    }

    private static String textOf(Response response) {
        return response.output().stream()
                .flatMap(item -> item.message().stream())
                .flatMap(message -> message.content().stream())
                .flatMap(part -> part.outputText().stream())
                .map(part -> part.text())
                .collect(Collectors.joining());
    }

    private static List<Long> usageOf(Response response) {
        return response.usage()
                .map(usage -> List.of(usage.inputTokens(), usage.outputTokens()))
                .orElseThrow();
    }

    private static List<Object> callsOf(Response response) {
        List<Object> calls = new ArrayList<>();
        for (ResponseOutputItem item : response.output()) {
            item.functionCall()
                    .ifPresent(called -> calls.add(Cases.call(called.name(), Cases.parse(called.arguments()))));
        }
        return calls;
    }

    @Override
    public Map<String, Object> text(Question asked) {
        Response response = create(request(asked));
        return Map.of("text", textOf(response), "usage", usageOf(response));
    }

    @Override
    public Map<String, Object> stream(Question asked) {
        List<String> deltas = new ArrayList<>();
        Response response = accumulate(request(asked).build(), deltas::add);
        return Map.of("deltas", deltas, "usage", usageOf(response));
    }

    @Override
    public Map<String, Object> twoTools(Question asked) {
        ResponseCreateParams.Builder request = request(asked).store(false);
        Cases.TOOLS.forEach(tool -> request.addTool(declared(tool, false)));
        Response first = create(request);
        return Map.of("calls", callsOf(first), "text", textOf(answer(asked, request, first)));
    }

    /** Sends the whole conversation, so that nothing depends on what a server stores. */
    private Response answer(Question asked, ResponseCreateParams.Builder request, Response first) {
        List<ResponseInputItem> input = new ArrayList<>();
        input.add(user(EasyInputMessage.builder().content(asked.prompt())));
        for (ResponseOutputItem item : first.output()) {
            item.message().map(ResponseInputItem::ofResponseOutputMessage).ifPresent(input::add);
            item.reasoning().map(ResponseInputItem::ofReasoning).ifPresent(input::add);
            item.functionCall().map(ResponseInputItem::ofFunctionCall).ifPresent(input::add);
        }
        for (ResponseOutputItem item : first.output()) {
            item.functionCall()
                    .map(called -> ResponseInputItem.FunctionCallOutput.builder()
                            .callId(called.callId())
                            .output(Cases.resultOf(called.name()))
                            .build())
                    .map(ResponseInputItem::ofFunctionCallOutput)
                    .ifPresent(input::add);
        }
        return create(request.inputOfResponse(input));
    }

    @Override
    public Map<String, Object> strictStreamedTools(Question asked) {
        ResponseCreateParams.Builder request = request(asked);
        Cases.TOOLS.forEach(tool -> request.addTool(declared(tool, true)));
        return Map.of("calls", callsOf(accumulate(request.build(), delta -> {})));
    }

    @Override
    public Map<String, Object> structured(Question asked) {
        ResponseCreateParams request = request(asked).text(Cases.Person.class).build().rawParams();
        String value = textOf(client.responses().create(request));
        String streamed = textOf(accumulate(request, delta -> {}));
        return Map.of("value", Cases.parse(value), "streamed", Cases.parse(streamed), "sorted", true);
    }

    @Override
    public Map<String, Object> image(Question asked) {
        ResponseInputText text = ResponseInputText.builder().text(asked.prompt()).build();
        ResponseInputImage image = ResponseInputImage.builder()
                .detail(ResponseInputImage.Detail.AUTO)
                .imageUrl("data:image/png;base64," + asked.image())
                .build();
        List<ResponseInputContent> content =
                List.of(ResponseInputContent.ofInputText(text), ResponseInputContent.ofInputImage(image));
        ResponseInputItem message =
                user(EasyInputMessage.builder().contentOfResponseInputMessageContentList(content));
        return Map.of("text", textOf(create(request(asked).inputOfResponse(List.of(message)))));
    }

    @Override
    public Map<String, Object> reasoning(Question asked) {
        ResponseCreateParams.Builder request = request(asked)
                .store(false)
                .addTool(declared(Cases.WEATHER, false))
                .addInclude(ResponseIncludable.REASONING_ENCRYPTED_CONTENT)
                .reasoning(Reasoning.builder()
                        .effort(ReasoningEffort.LOW)
                        .summary(Reasoning.Summary.AUTO)
                        .build());
        Response first = create(request);
        String reasoning = first.output().stream()
                .flatMap(item -> item.reasoning().stream())
                .flatMap(item -> item.summary().stream())
                .map(part -> part.text())
                .collect(Collectors.joining());
        return Map.of("reasoning", reasoning, "text", textOf(answer(asked, request, first)));
    }

    @Override
    public void deltas(Question asked, Predicate<String> reader) {
        try (StreamResponse<ResponseStreamEvent> events =
                client.responses().createStreaming(request(asked).build())) {
            for (Iterator<ResponseStreamEvent> each = events.stream().iterator(); each.hasNext(); ) {
                ResponseStreamEvent event = each.next();
                event.error().ifPresent(failure -> {
                    throw new IllegalStateException(failure.message());
                });
                if (event.outputTextDelta().isPresent()
                        && !reader.test(event.asOutputTextDelta().delta())) return;
            }
        }
    }
}
