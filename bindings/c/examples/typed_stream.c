/* A typed answer while it grows: each partial value matches the schema as far as it is known. */
#include <simple_agents.h>
#include <stdio.h>

static const char *options =
    "{\"schema\": {\"type\": \"object\", \"properties\": {"
    "  \"name\": {\"type\": \"string\"},"
    "  \"age\": {\"type\": \"integer\"},"
    "  \"abilities\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}}},"
    "  \"required\": [\"name\", \"age\", \"abilities\"]}}";

static int show(const char *partial, size_t length, void *user_data) {
  (void)user_data;
  printf("partial: %.*s\n", (int)length, partial);
  return 0;
}

int main(void) {
  SAClient *client = sa_client_new("simulated", "");
  SARequest *request = sa_request_new();
  sa_request_add_message(request, "user", "Invent a character for a game.");
  sa_request_set_options(request, options);
  SAResponse *response = NULL;
  int status = sa_stream_partials(client, request, show, NULL, &response);
  if (status == SA_OK) {
    printf("character: %s\n", sa_response_get_value(response, NULL));
  } else {
    fprintf(stderr, "%s: %s\n", sa_get_last_error_kind(), sa_get_last_error());
  }
  sa_response_free(response);
  sa_request_free(request);
  sa_client_free(client);
  return status == SA_OK ? 0 : 1;
}
