/* One question, one answer. */
#include <simple_agents.h>
#include <stdio.h>

int main(void) {
  SAClient *client = sa_client_new("simulated", "");
  SARequest *request = sa_request_new();
  sa_request_add_message(request, "user", "Hello!");
  SAResponse *response = NULL;
  int status = sa_complete(client, request, &response);
  if (status == SA_OK) {
    printf("%s\n", sa_response_get_content(response));
  } else {
    fprintf(stderr, "%s: %s\n", sa_get_last_error_kind(), sa_get_last_error());
  }
  sa_response_free(response);
  sa_request_free(request);
  sa_client_free(client);
  return status == SA_OK ? 0 : 1;
}
