package clients;

import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Predicate;

/**
 * One API of a client. A method asks what its case is about and returns what the client saw, with the members that the
 * cases in test/support/clients/cases.ts read. It checks nothing itself.
 */
interface Client {
    Map<String, Object> text(Question asked) throws Exception;

    Map<String, Object> stream(Question asked) throws Exception;

    Map<String, Object> twoTools(Question asked) throws Exception;

    Map<String, Object> strictStreamedTools(Question asked) throws Exception;

    Map<String, Object> structured(Question asked) throws Exception;

    Map<String, Object> image(Question asked) throws Exception;

    Map<String, Object> reasoning(Question asked) throws Exception;

    /** Streams the texts of a response until the reader returns false, and closes the stream. */
    void deltas(Question asked, Predicate<String> reader) throws Exception;

    /** The HTTP status of an error of this client. */
    OptionalInt status(Throwable failure);
}
