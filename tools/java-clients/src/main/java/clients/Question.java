package clients;

/**
 * @param image a PNG file in base64
 */
record Question(String client, String name, String model, String prompt, String image) {
    Question withPrompt(String other) {
        return new Question(client, name, model, other, image);
    }
}
