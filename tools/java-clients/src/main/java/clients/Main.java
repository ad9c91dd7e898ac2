package clients;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Uses the gateway through clients written in Java. It answers the questions of test/support/clients/program.ts: one
 * per line of the input, one line with what the client saw for each.
 */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws Exception {
        String url = arguments[0];
        Map<String, Client> clients = Map.of(
                "openai-java, chat", new OpenAIChat(url),
                "openai-java, responses", new OpenAIResponses(url),
                "anthropic-java", new AnthropicMessages(url),
                "google-genai", new GoogleGenAI(url),
                "langchain4j, openai", LangChain4j.openAI(url),
                "langchain4j, anthropic", LangChain4j.anthropic(url));
        PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = questions.readLine(); line != null; line = questions.readLine()) {
            answers.println(Cases.JSON.writeValueAsString(answer(clients, Cases.JSON.readTree(line))));
        }
        // Libraries leave threads behind.
        System.exit(0);
    }

    private static Map<String, Object> answer(Map<String, Client> clients, JsonNode line) {
        Question asked = new Question(
                line.get("client").asText(),
                line.get("case").asText(),
                line.get("model").asText(),
                line.get("prompt").asText(),
                line.get("image").asText());
        try {
            return Map.of("seen", Cases.perform(clients.get(asked.client()), asked));
        } catch (Unsupported reason) {
            return Map.of("unsupported", reason.getMessage());
        } catch (Exception failure) {
            StringWriter trace = new StringWriter();
            failure.printStackTrace(new PrintWriter(trace));
            return Map.of("error", trace.toString());
        }
    }
}
