package clients;

/** The client has no way to express the case. The message says why. */
final class Unsupported extends RuntimeException {
    Unsupported(String reason) {
        super(reason);
    }
}
