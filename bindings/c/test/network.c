/*
 * Calls over HTTP: network BASE_URL THREADS STREAMS. Each thread reads its streams from the provider at BASE_URL, with one
 * shared client, and compares every byte with the answer that was completed at once.
 */
#include "check.h"
#include <pthread.h>
#include <simple_agents.h>

static SAClient *client;
static int streams;

typedef struct {
  char *bytes;
  size_t length;
} Text;

static int append(const char *data, size_t length, void *user_data) {
  Text *text = user_data;
  text->bytes = realloc(text->bytes, text->length + length + 1);
  CHECK(text->bytes != NULL);
  memcpy(text->bytes + text->length, data, length);
  text->length += length;
  return 0;
}

static void read_stream(const SARequest *request, const SAResponse *expected) {
  Text text = {NULL, 0};
  SAResponse *response = NULL;
  CHECK(sa_stream_text(client, request, append, &text, &response) == SA_OK);
  CHECK(text.length == sa_response_get_content_length(expected));
  CHECK(memcmp(text.bytes, sa_response_get_content(expected), text.length) == 0);
  CHECK(memcmp(text.bytes, sa_response_get_content(response), text.length) == 0);
  sa_response_free(response);
  free(text.bytes);
}

static void *read_streams(void *number) {
  char prompt[64];
  snprintf(prompt, sizeof prompt, "Count to %d", 5 + (int)(size_t)number % 20);
  SARequest *request = sa_request_new();
  CHECK(sa_request_add_message(request, "user", prompt) == SA_OK);
  SAResponse *expected = NULL;
  CHECK(sa_complete(client, request, &expected) == SA_OK);
  for (int count = 0; count < streams; count++) read_stream(request, expected);
  sa_response_free(expected);
  sa_request_free(request);
  return NULL;
}

int main(int count, char **values) {
  CHECK(count == 4);
  char options[512];
  snprintf(options, sizeof options, "{\"provider\": \"openai\", \"apiKey\": \"k\", \"model\": \"m\", \"baseUrl\": \"%s\"}",
           values[1]);
  client = sa_client_new_with_options(options);
  CHECK(client != NULL);
  size_t threads = (size_t)atoi(values[2]);
  streams = atoi(values[3]);
  pthread_t *running = calloc(threads, sizeof *running);
  CHECK(running != NULL);
  for (size_t number = 0; number < threads; number++) {
    CHECK(pthread_create(&running[number], NULL, read_streams, (void *)number) == 0);
  }
  for (size_t number = 0; number < threads; number++) CHECK(pthread_join(running[number], NULL) == 0);
  free(running);
  sa_client_free(client);
  printf("%zu threads, %d streams each: every byte right\n", threads, streams);
  return 0;
}
