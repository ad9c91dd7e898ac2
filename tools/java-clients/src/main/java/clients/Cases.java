package clients;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The cases that are the same for each client, and their data. */
final class Cases {
    static final ObjectMapper JSON = new ObjectMapper();

    /** A function with one parameter. */
    record Tool(String name, String description, String parameter, String result) {
        Map<String, Object> properties() {
            return Map.of(parameter, Map.of("type", "string"));
        }

        Map<String, Object> schema() {
            return Map.of(
                    "type", "object",
                    "properties", properties(),
                    "required", List.of(parameter),
                    "additionalProperties", false);
        }
    }

    static final Tool WEATHER = new Tool("get_weather", "The weather in a city.", "city", "21 °C");
    static final Tool TIME = new Tool("get_time", "The time in a zone.", "zone", "noon");
    static final List<Tool> TOOLS = List.of(WEATHER, TIME);

    /** The value of a structured response. */
    public static final class Person {
        public String name;
        public int age;
    }

    private Cases() {}

    static Map<String, Object> perform(Client client, Question asked) throws Exception {
        return switch (asked.name()) {
            case "text" -> client.text(asked);
            case "stream" -> client.stream(asked);
            case "two tools" -> client.twoTools(asked);
            case "strict streamed tools" -> client.strictStreamedTools(asked);
            case "structured" -> client.structured(asked);
            case "image" -> client.image(asked);
            case "reasoning" -> client.reasoning(asked);
            case "error" -> readStatuses(client, asked);
            case "broken stream" -> readUntilFailure(client, asked);
            case "cancel" -> cancelAtFirst(client, asked);
            default -> throw new IllegalArgumentException("unknown case " + asked.name());
        };
    }

    /** The status of the error that each prompt ends with. */
    private static Map<String, Object> readStatuses(Client client, Question asked) {
        Map<String, Object> statuses = new LinkedHashMap<>();
        for (int status : List.of(400, 401, 403, 404, 429, 500, 503, 529)) {
            try {
                client.text(asked.withPrompt("status " + status));
                throw new IllegalStateException("status " + status + " became a response");
            } catch (Exception failure) {
                String became = "status " + status + " became " + failure;
                int received = client.status(failure).orElseThrow(() -> new IllegalStateException(became, failure));
                statuses.put(String.valueOf(status), received);
            }
        }
        return Map.of("statuses", statuses);
    }

    /** The text before a stream fails. */
    private static Map<String, Object> readUntilFailure(Client client, Question asked) {
        StringBuilder text = new StringBuilder();
        boolean failed = false;
        try {
            client.deltas(asked, delta -> {
                text.append(delta);
                return true;
            });
        } catch (Unsupported reason) {
            throw reason;
        } catch (Exception failure) {
            failed = true;
        }
        return Map.of("text", text.toString(), "failed", failed);
    }

    /** Closes a stream when the first text has arrived. */
    private static Map<String, Object> cancelAtFirst(Client client, Question asked) throws Exception {
        StringBuilder first = new StringBuilder();
        client.deltas(asked, delta -> {
            first.append(delta);
            return first.isEmpty();
        });
        return Map.of("text", first.toString());
    }

    static String resultOf(String name) {
        return TOOLS.stream()
                .filter(tool -> tool.name().equals(name))
                .map(Tool::result)
                .findFirst()
                .orElse("no such tool");
    }

    static Object parse(String text) {
        try {
            return JSON.readValue(text, Object.class);
        } catch (JsonProcessingException failure) {
            throw new IllegalArgumentException(failure.getMessage() + " in " + text, failure);
        }
    }

    static List<Object> call(String name, Object input) {
        return List.of(name, input);
    }
}
