/* A provider that cannot be reached, and another one that answers instead. */
#include <simple_agents.h>
#include <stdio.h>

static const char *options =
    "{\"baseUrl\": \"http://127.0.0.1:9/v1\"," /* nothing listens here */
    " \"retry\": false,"
    " \"models\": {\"fast\": {\"targets\": [\"openai-compatible/large\", \"simulated/small\"]}}}";

int main(void) {
  SAClient *client = sa_client_new_with_options(options);
  SARequest *request = sa_request_new();
  sa_request_add_message(request, "user", "Count to 5");
  sa_request_set_model(request, "fast");
  SAResponse *response = NULL;
  int status = sa_complete(client, request, &response);
  if (status == SA_OK) {
    printf("%s (%s)\n", sa_response_get_content(response), sa_response_get_model(response));
  } else {
    fprintf(stderr, "%s: %s\n", sa_get_last_error_kind(), sa_get_last_error());
  }
  sa_response_free(response);
  sa_request_free(request);
  sa_client_free(client);
  return status == SA_OK ? 0 : 1;
}
