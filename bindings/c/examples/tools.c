/* The model calls a function of the program, and answers with its result. */
#include <simple_agents.h>
#include <stdio.h>

static const char *options =
    "{\"tools\": [{\"name\": \"get_weather\", \"description\": \"The weather in a city\", \"inputSchema\": "
    "{\"type\": \"object\", \"properties\": {\"city\": {\"type\": \"string\"}}, \"required\": [\"city\"]}}]}";

/* Runs the tool calls of a response. A real program would look at the name and parse the arguments. */
static void run_tools(SARequest *request, const SAResponse *response) {
  sa_request_add_response(request, response);
  for (size_t index = 0; index < sa_response_get_tool_call_count(response); index++) {
    printf("%s(%s)\n", sa_response_get_tool_call_name(response, index),
           sa_response_get_tool_call_arguments(response, index, NULL));
    sa_request_add_tool_result(request, sa_response_get_tool_call_id(response, index), "22 degrees, sunny", 0);
  }
}

int main(void) {
  SAClient *client = sa_client_new("simulated", "");
  SARequest *request = sa_request_new();
  sa_request_add_message(request, "user", "What is the weather in Lisbon?");
  sa_request_set_options(request, options);
  SAResponse *response = NULL;
  int status = sa_complete(client, request, &response);
  for (int turn = 0; status == SA_OK && sa_response_get_tool_call_count(response) > 0 && turn < 5; turn++) {
    run_tools(request, response);
    sa_response_free(response);
    status = sa_complete(client, request, &response);
  }
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
