/*
 * libFuzzer over the C interface: the first byte chooses the function, the rest is its text. `npm run test:fuzz` builds it
 * with clang and runs it for some minutes.
 */
#include <simple_agents.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static char *copy_text(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (text == NULL) abort();
  memcpy(text, data, size);
  text[size] = '\0';
  return text;
}

/* The text up to the first newline is a schema or options. */
static void heal(char *text, size_t size, int has_schema) {
  char *end = memchr(text, '\n', size);
  char *rest = end == NULL ? text : end + 1;
  if (end != NULL) *end = '\0';
  const char *json = end == NULL ? NULL : text;
  SAResponse *response = NULL;
  int status = sa_heal(rest, size - (size_t)(rest - text), has_schema ? json : NULL, has_schema ? NULL : json, &response);
  if (status == SA_ERR_INTERNAL || (status == SA_OK) != (response != NULL)) abort();
  if (response != NULL && sa_response_get_value(response, NULL) == NULL) abort();
  sa_response_free(response);
}

static void configure(const char *text) {
  SAClient *client = sa_client_new_with_options(text);
  if (client == NULL && sa_get_last_error()[0] == '\0') abort();
  sa_client_free(client);
}

static void request(const char *text) {
  static SAClient *client;
  if (client == NULL) client = sa_client_new("simulated", "");
  SARequest *request = sa_request_new();
  sa_request_add_message(request, "user", "Hello");
  if (sa_request_set_options(request, text) == SA_OK && sa_complete(client, request, NULL) == SA_ERR_INTERNAL) abort();
  sa_request_free(request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  char *text = copy_text(data + 1, size - 1);
  switch (data[0] % 4) {
    case 0: heal(text, size - 1, 0); break;
    case 1: heal(text, size - 1, 1); break;
    case 2: configure(text); break;
    default: request(text);
  }
  free(text);
  return 0;
}
