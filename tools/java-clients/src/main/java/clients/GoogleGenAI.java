package clients;

import com.google.genai.Client;
import com.google.genai.ResponseStream;
import com.google.genai.errors.ApiException;
import com.google.genai.types.Content;
import com.google.genai.types.FunctionCall;
import com.google.genai.types.FunctionDeclaration;
import com.google.genai.types.FunctionResponse;
import com.google.genai.types.GenerateContentConfig;
import com.google.genai.types.GenerateContentResponse;
import com.google.genai.types.HttpOptions;
import com.google.genai.types.HttpRetryOptions;
import com.google.genai.types.Part;
import com.google.genai.types.ThinkingConfig;
import com.google.genai.types.Tool;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** google-genai. */
final class GoogleGenAI implements clients.Client {
    private final Client client;

    GoogleGenAI(String url) {
        HttpOptions options = HttpOptions.builder()
                .baseUrl(url)
                .retryOptions(HttpRetryOptions.builder().attempts(1))
                .build();
        client = Client.builder().apiKey("any").httpOptions(options).build();
    }

    @Override
    public OptionalInt status(Throwable failure) {
        return failure instanceof ApiException refused ? OptionalInt.of(refused.code()) : OptionalInt.empty();
    }

    private static List<Content> prompt(Question asked) {
        return List.of(user(List.of(Part.fromText(asked.prompt()))));
    }

    private static Content user(List<Part> parts) {
        return Content.builder().role("user").parts(parts).build();
    }

    private static GenerateContentConfig plain() {
        return GenerateContentConfig.builder().build();
    }

    private static GenerateContentConfig.Builder declaring(List<Cases.Tool> tools) {
        List<FunctionDeclaration> functions = tools.stream()
                .map(tool -> FunctionDeclaration.builder()
                        .name(tool.name())
                        .description(tool.description())
                        .parametersJsonSchema(tool.schema())
                        .build())
                .toList();
        return GenerateContentConfig.builder()
                .tools(Tool.builder().functionDeclarations(functions).build());
    }

    private GenerateContentResponse create(Question asked, List<Content> contents, GenerateContentConfig config) {
        return client.models.generateContent(asked.model(), contents, config);
    }

    private List<GenerateContentResponse> collect(
            Question asked, GenerateContentConfig config, Consumer<GenerateContentResponse> reader) {
        List<GenerateContentResponse> chunks = new ArrayList<>();
        try (ResponseStream<GenerateContentResponse> stream =
                client.models.generateContentStream(asked.model(), prompt(asked), config)) {
            for (GenerateContentResponse chunk : stream) {
                reader.accept(chunk);
                chunks.add(chunk);
            }
        }
        return chunks;
    }

    private static String textOf(GenerateContentResponse response) {
        String text = response.text();
        return text == null ? "" : text;
    }

    private static List<Integer> usageOf(GenerateContentResponse response) {
        return response.usageMetadata()
                .map(usage -> List.of(
                        usage.promptTokenCount().orElse(0),
                        usage.candidatesTokenCount().orElse(0)))
                .orElse(List.of(0, 0));
    }

    private static List<FunctionCall> functionCallsOf(GenerateContentResponse response) {
        return partsOf(response).stream().flatMap(part -> part.functionCall().stream()).toList();
    }

    private static List<Part> partsOf(GenerateContentResponse response) {
        List<Part> parts = response.parts();
        return parts == null ? List.of() : parts;
    }

    private static List<Object> callsOf(List<FunctionCall> calls) {
        return calls.stream()
                .<Object>map(call -> Cases.call(
                        call.name().orElseThrow(), call.args().orElse(Map.of())))
                .toList();
    }

    @Override
    public Map<String, Object> text(Question asked) {
        GenerateContentResponse response = create(asked, prompt(asked), plain());
        return Map.of("text", textOf(response), "usage", usageOf(response));
    }

    @Override
    public Map<String, Object> stream(Question asked) {
        List<String> deltas = new ArrayList<>();
        List<GenerateContentResponse> chunks = collect(asked, plain(), chunk -> deltas.add(textOf(chunk)));
        return Map.of("deltas", deltas, "usage", usageOf(chunks.get(chunks.size() - 1)));
    }

    @Override
    public Map<String, Object> twoTools(Question asked) {
        GenerateContentConfig config = declaring(Cases.TOOLS).build();
        GenerateContentResponse first = create(asked, prompt(asked), config);
        GenerateContentResponse second = answer(asked, config, first);
        return Map.of("calls", callsOf(functionCallsOf(first)), "text", textOf(second));
    }

    private GenerateContentResponse answer(
            Question asked, GenerateContentConfig config, GenerateContentResponse first) {
        List<Part> results = functionCallsOf(first).stream()
                .map(call -> Part.builder().functionResponse(resultOf(call)).build())
                .toList();
        List<Content> contents = new ArrayList<>(prompt(asked));
        contents.add(first.candidates().orElseThrow().get(0).content().orElseThrow());
        contents.add(user(results));
        return create(asked, contents, config);
    }

    private static FunctionResponse resultOf(FunctionCall call) {
        String name = call.name().orElseThrow();
        FunctionResponse.Builder result =
                FunctionResponse.builder().name(name).response(Map.of("output", Cases.resultOf(name)));
        call.id().ifPresent(result::id);
        return result.build();
    }

    @Override
    public Map<String, Object> strictStreamedTools(Question asked) {
        throw new Unsupported("Google's format has no strict flag of a tool");
    }

    @Override
    public Map<String, Object> structured(Question asked) {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("name", Map.of("type", "string"));
        properties.put("age", Map.of("type", "integer"));
        GenerateContentConfig config = GenerateContentConfig.builder()
                .responseMimeType("application/json")
                .responseJsonSchema(
                        Map.of("type", "object", "properties", properties, "required", List.of("name", "age")))
                .build();
        String value = textOf(create(asked, prompt(asked), config));
        StringBuilder streamed = new StringBuilder();
        collect(asked, config, chunk -> streamed.append(textOf(chunk)));
        return Map.of("value", Cases.parse(value), "streamed", Cases.parse(streamed.toString()));
    }

    @Override
    public Map<String, Object> image(Question asked) {
        byte[] image = Base64.getDecoder().decode(asked.image());
        List<Part> parts = List.of(Part.fromText(asked.prompt()), Part.fromBytes(image, "image/png"));
        return Map.of("text", textOf(create(asked, List.of(user(parts)), plain())));
    }

    @Override
    public Map<String, Object> reasoning(Question asked) {
        ThinkingConfig thinking =
                ThinkingConfig.builder().includeThoughts(true).thinkingBudget(1024).build();
        GenerateContentConfig config =
                declaring(List.of(Cases.WEATHER)).thinkingConfig(thinking).build();
        GenerateContentResponse first = create(asked, prompt(asked), config);
        String reasoning = partsOf(first).stream()
                .filter(part -> part.thought().orElse(false))
                .flatMap(part -> part.text().stream())
                .collect(Collectors.joining());
        return Map.of("reasoning", reasoning, "text", textOf(answer(asked, config, first)));
    }

    @Override
    public void deltas(Question asked, Predicate<String> reader) {
        try (ResponseStream<GenerateContentResponse> stream =
                client.models.generateContentStream(asked.model(), prompt(asked), plain())) {
            for (GenerateContentResponse chunk : stream) {
                if (!reader.test(textOf(chunk))) return;
            }
        }
    }
}
