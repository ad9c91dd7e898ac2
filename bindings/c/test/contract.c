/*
 * The contract of the header, without a network: lifecycle, NULL, repeated use, errors of each thread, callbacks,
 * cancellation, texts with NUL, wrong JSON, queues, fork. Runs under sanitizers and valgrind.
 */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include <pthread.h>
#include <simple_agents.h>
#include <sys/wait.h>
#include <unistd.h>

static SARequest *request_for(const char *content) {
  SARequest *request = sa_request_new();
  CHECK(request != NULL);
  CHECK(sa_request_add_message(request, "user", content) == SA_OK);
  return request;
}

static SAClient *simulated(void) {
  SAClient *client = sa_client_new("simulated", "");
  CHECK(client != NULL);
  return client;
}

static int count_pieces(const char *data, size_t length, void *user_data) {
  CHECK(data[length] == '\0');
  ++*(int *)user_data;
  return 0;
}

static int stop_at_second(const char *data, size_t length, void *user_data) {
  (void)data;
  (void)length;
  return ++*(int *)user_data == 2;
}

static void test_lifecycle(void) {
  for (int round = 0; round < 20; round++) {
    SAClient *client = simulated();
    SARequest *request = request_for("Count to 3");
    SAResponse *response = NULL;
    CHECK(sa_complete(client, request, &response) == SA_OK);
    CHECK(sa_response_get_content_length(response) == strlen(sa_response_get_content(response)));
    CHECK(sa_response_get_content_length(response) > 0);
    CHECK_TEXT(sa_response_get_stop_reason(response), "end");
    int64_t input = -1, output = -1;
    CHECK(sa_response_get_usage(response, &input, &output) == 1 && input > 0 && output > 0);
    CHECK_TEXT(sa_get_last_error(), "");
    /* In any order. */
    if (round % 2 == 0) sa_client_free(client);
    sa_request_free(request);
    if (round % 2 == 1) sa_client_free(client);
    CHECK(strlen(sa_response_get_content(response)) > 0);
    sa_response_free(response);
  }
}

static void test_null(void) {
  SAClient *client = simulated();
  SARequest *request = request_for("Hello");
  SAResponse *response = (SAResponse *)&client;
  int count = 0;
  sa_client_free(NULL);
  sa_request_free(NULL);
  sa_response_free(NULL);
  CHECK(sa_client_new(NULL, NULL) == NULL);
  CHECK_TEXT(sa_get_last_error(), "provider: must not be NULL");
  CHECK_TEXT(sa_get_last_error_kind(), "bad-request");
  CHECK(sa_client_new_with_options(NULL) == NULL);
  CHECK(sa_request_add_message(NULL, "user", "a") == SA_ERR_INVALID_ARG);
  CHECK(sa_request_add_message(request, NULL, "a") == SA_ERR_INVALID_ARG);
  CHECK(sa_request_add_message(request, "user", NULL) == SA_ERR_INVALID_ARG);
  CHECK(sa_request_add_message_n(request, "user", NULL, 5) == SA_ERR_INVALID_ARG);
  CHECK(sa_request_add_message_n(request, "user", "a", (size_t)-1) == SA_ERR_INVALID_ARG);
  CHECK(sa_request_add_response(NULL, NULL) == SA_ERR_INVALID_ARG);
  CHECK(sa_request_add_response(request, NULL) == SA_ERR_INVALID_ARG);
  CHECK(sa_request_add_tool_result(request, NULL, "a", 0) == SA_ERR_INVALID_ARG);
  CHECK(sa_request_add_tool_result(request, "a", NULL, 0) == SA_ERR_INVALID_ARG);
  CHECK(sa_request_set_model(NULL, "m") == SA_ERR_INVALID_ARG);
  CHECK(sa_request_set_model(request, NULL) == SA_ERR_INVALID_ARG);
  CHECK(sa_request_set_options(request, NULL) == SA_ERR_INVALID_ARG);
  CHECK(sa_request_cancel(NULL) == SA_ERR_INVALID_ARG);
  CHECK(sa_complete(NULL, request, &response) == SA_ERR_INVALID_ARG);
  CHECK(response == NULL);
  CHECK(sa_complete(client, NULL, &response) == SA_ERR_INVALID_ARG);
  CHECK(sa_complete(client, request, NULL) == SA_OK);
  CHECK(sa_stream_text(client, request, NULL, NULL, &response) == SA_ERR_INVALID_ARG);
  CHECK_TEXT(sa_get_last_error(), "callback: must not be NULL");
  CHECK(sa_stream_text(NULL, NULL, NULL, NULL, NULL) == SA_ERR_INVALID_ARG);
  CHECK(sa_stream_events(client, request, count_pieces, &count, NULL) == SA_OK && count > 2);
  CHECK(sa_heal(NULL, 0, NULL, NULL, NULL) == SA_ERR_INVALID_ARG);
  CHECK(sa_heal("{}", 2, NULL, NULL, NULL) == SA_OK);
  CHECK(sa_response_get_content(NULL) == NULL && sa_response_get_content_length(NULL) == 0);
  size_t length = 7;
  CHECK(sa_response_get_value(NULL, &length) == NULL && length == 0);
  CHECK(sa_response_get_json(NULL, NULL) == NULL && sa_response_get_model(NULL) == NULL);
  CHECK(sa_response_get_stop_reason(NULL) == NULL && sa_response_get_usage(NULL, NULL, NULL) == 0);
  CHECK(sa_response_get_cost(NULL, NULL) == 0 && sa_response_get_confidence(NULL, NULL) == 0);
  CHECK(sa_response_get_tool_call_count(NULL) == 0 && sa_response_get_tool_call_id(NULL, 0) == NULL);
  CHECK(sa_response_get_tool_call_name(NULL, 0) == NULL && sa_response_get_tool_call_error(NULL, 0) == NULL);
  CHECK(sa_response_get_tool_call_arguments(NULL, 0, NULL) == NULL);
  sa_request_free(request);
  sa_client_free(client);
}

static void test_wrong_arguments(void) {
  SARequest *request = request_for("Hello");
  const char *wrong[] = {"", "{", "[]", "null", "5", "{\"a\":}", "{\"messages\": []}", "\xff\xfe", "{\"a\": 1} x"};
  for (size_t index = 0; index < sizeof wrong / sizeof *wrong; index++) {
    CHECK(sa_request_set_options(request, wrong[index]) == SA_ERR_INVALID_ARG);
    CHECK(strncmp(sa_get_last_error(), "options_json: ", 14) == 0);
    if (index != 6) CHECK(sa_client_new_with_options(wrong[index]) == NULL);
    CHECK(index == 6 || sa_heal("{}", 2, NULL, wrong[index], NULL) == SA_ERR_INVALID_ARG);
  }
  CHECK(sa_request_add_message(request, "robot", "a") == SA_ERR_INVALID_ARG);
  CHECK_TEXT(sa_get_last_error(), "role: must be one of system, user, assistant");
  CHECK(sa_request_add_message(request, "user", "\xc3\x28") == SA_ERR_INVALID_ARG);
  CHECK_TEXT(sa_get_last_error(), "content: is not UTF-8 text");
  SAClient *client = simulated();
  CHECK(sa_request_set_options(request, "{\"temprature\": 1}") == SA_OK);
  CHECK(sa_complete(client, request, NULL) == SA_ERR_INVALID_ARG);
  CHECK(strstr(sa_get_last_error(), "temperature") != NULL);
  CHECK(strstr(sa_get_last_error_json(), "\"retryable\":false") != NULL);
  CHECK(sa_client_new_with_options("{\"provider\": \"simulated\", \"apiKye\": \"x\"}") == NULL);
  CHECK(strstr(sa_get_last_error(), "apiKey") != NULL);
  CHECK(sa_heal("{}", 2, "{\"type\": \"nothing\"}", NULL, NULL) == SA_ERR_INVALID_ARG);
  CHECK(sa_heal("no value", 8, "{\"type\": \"integer\"}", NULL, NULL) == SA_ERR_HEALING);
  CHECK_TEXT(sa_get_last_error_kind(), "healing");
  sa_client_free(client);
  sa_request_free(request);
}

static void test_repeated_use(void) {
  SAClient *client = simulated();
  SARequest *request = request_for("Count to 5");
  SAResponse *first = NULL, *second = NULL;
  CHECK(sa_complete(client, request, &first) == SA_OK);
  CHECK(sa_complete(client, request, &second) == SA_OK);
  CHECK_TEXT(sa_response_get_content(first), sa_response_get_content(second));
  sa_response_free(second);
  /* Continue the conversation. */
  CHECK(sa_request_add_response(request, first) == SA_OK);
  CHECK(sa_request_add_message(request, "user", "And to 7") == SA_OK);
  CHECK(sa_complete(client, request, &second) == SA_OK);
  sa_response_free(first);
  sa_response_free(second);
  sa_request_free(request);
  sa_client_free(client);
}

static void test_streams(void) {
  SAClient *client = simulated();
  SARequest *request = request_for("Count to 50");
  SAResponse *response = NULL;
  int count = 0;
  CHECK(sa_stream_text(client, request, count_pieces, &count, &response) == SA_OK);
  CHECK(count > 5 && sa_response_get_content_length(response) > 50);
  sa_response_free(response);
  count = 0;
  CHECK(sa_stream_text(client, request, stop_at_second, &count, &response) == SA_ERR_CANCELLED);
  CHECK(count == 2 && response == NULL);
  CHECK_TEXT(sa_get_last_error_kind(), "aborted");
  /* Partial values need a schema. */
  CHECK(sa_stream_partials(client, request, count_pieces, &count, &response) == SA_ERR_INVALID_ARG);
  CHECK(sa_request_set_options(request, "{\"schema\": {\"type\": \"object\", \"properties\": {\"name\": {\"type\": "
                                        "\"string\"}}, \"required\": [\"name\"]}}") == SA_OK);
  count = 0;
  CHECK(sa_stream_partials(client, request, count_pieces, &count, &response) == SA_OK);
  CHECK(count > 0 && strncmp(sa_response_get_value(response, NULL), "{\"name\":", 8) == 0);
  double confidence = 0;
  CHECK(sa_response_get_confidence(response, &confidence) == 1 && confidence == 1);
  sa_response_free(response);
  sa_request_free(request);
  sa_client_free(client);
}

static void test_nul(void) {
  SAResponse *response = NULL;
  CHECK(sa_heal("[\"a\\u0000b\"]", 12, NULL, NULL, &response) == SA_OK);
  CHECK_TEXT(sa_response_get_value(response, NULL), "[\"a\\u0000b\"]");
  sa_response_free(response);
  /* A text that contains NUL is one text. */
  CHECK(sa_heal("\"a\0b\"", 5, "{\"type\": \"string\"}", NULL, &response) == SA_OK);
  CHECK(strstr(sa_response_get_value(response, NULL), "a\\u0000b") != NULL);
  sa_response_free(response);
  SAClient *client = simulated();
  SARequest *request = sa_request_new();
  CHECK(sa_request_add_message_n(request, "user", "Echo a\0b", 8) == SA_OK);
  CHECK(sa_complete(client, request, &response) == SA_OK);
  CHECK(sa_response_get_content_length(response) >= strlen(sa_response_get_content(response)));
  sa_response_free(response);
  sa_request_free(request);
  sa_client_free(client);
}

static void test_nul_in_error(void) {
  CHECK(sa_client_new_with_options("{\"\\u0000er\": 1}") == NULL);
  CHECK_TEXT(sa_get_last_error(), "\xEF\xBF\xBD" "er: unknown name");
}

/* JSON that only some readers accept is passed on, not a crash. */
static void test_odd_json(void) {
  CHECK(sa_client_new_with_options("{\"model\": 1e999}") == NULL);
  CHECK_TEXT(sa_get_last_error_kind(), "configuration");
  SAClient *client = sa_client_new_with_options("{\"provider\": \"simulated\", \"model\": \"\\ud800\"}");
  CHECK(client != NULL);
  SARequest *request = request_for("Hi");
  CHECK(sa_request_set_options(request, "{\"user\": \"\\udc00\"}") == SA_OK);
  CHECK(sa_complete(client, request, NULL) == SA_OK);
  sa_request_free(request);
  sa_client_free(client);
}

static void test_null_value(void) {
  SAResponse *response = NULL;
  CHECK(sa_heal("NaN", 3, NULL, NULL, &response) == SA_OK);
  size_t length = 0;
  CHECK_TEXT(sa_response_get_value(response, &length), "null");
  CHECK(length == 4);
  CHECK_TEXT(sa_response_get_content(response), "null");
  sa_response_free(response);
}

static void test_tools(void) {
  SAClient *client = simulated();
  SARequest *request = request_for("What is the weather in Lisbon?");
  CHECK(sa_request_set_options(
            request, "{\"tools\": [{\"name\": \"get_weather\", \"description\": \"Weather\", \"inputSchema\": {\"type\": "
                     "\"object\", \"properties\": {\"city\": {\"type\": \"string\"}}, \"required\": [\"city\"]}}]}") ==
        SA_OK);
  SAResponse *response = NULL;
  CHECK(sa_complete(client, request, &response) == SA_OK);
  CHECK(sa_response_get_tool_call_count(response) == 1);
  CHECK_TEXT(sa_response_get_tool_call_name(response, 0), "get_weather");
  CHECK(sa_response_get_tool_call_error(response, 0) == NULL);
  size_t length = 0;
  const char *arguments = sa_response_get_tool_call_arguments(response, 0, &length);
  CHECK(strlen(arguments) == length && strncmp(arguments, "{\"city\":", 8) == 0);
  CHECK(sa_response_get_tool_call_id(response, 1) == NULL);
  CHECK(sa_request_add_response(request, response) == SA_OK);
  CHECK(sa_request_add_tool_result(request, sa_response_get_tool_call_id(response, 0), "sunny", 0) == SA_OK);
  sa_response_free(response);
  CHECK(sa_complete(client, request, &response) == SA_OK);
  CHECK(sa_response_get_tool_call_count(response) == 0);
  sa_response_free(response);
  sa_request_free(request);
  sa_client_free(client);
}

static void *fail_on_this_thread(void *unused) {
  (void)unused;
  CHECK_TEXT(sa_get_last_error(), "");
  CHECK(sa_request_set_model(NULL, "m") == SA_ERR_INVALID_ARG);
  CHECK_TEXT(sa_get_last_error(), "request: must not be NULL");
  return NULL;
}

static void test_errors_of_threads(void) {
  CHECK(sa_client_new(NULL, NULL) == NULL);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, fail_on_this_thread, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK_TEXT(sa_get_last_error(), "provider: must not be NULL");
}

static int cancel_request(const char *data, size_t length, void *user_data) {
  (void)data;
  (void)length;
  CHECK(sa_request_cancel(user_data) == SA_OK);
  return 0;
}

static void test_cancelled_request(void) {
  SAClient *client = simulated();
  SARequest *request = request_for("Count to 500");
  CHECK(sa_stream_text(client, request, cancel_request, request, NULL) == SA_ERR_CANCELLED);
  CHECK(sa_complete(client, request, NULL) == SA_ERR_CANCELLED);
  sa_request_free(request);
  /* The client is still good. */
  request = request_for("Hello");
  CHECK(sa_complete(client, request, NULL) == SA_OK);
  sa_request_free(request);
  sa_client_free(client);
}

static uint64_t start(const SAQueue *queue, const char *call) {
  uint64_t id = sa_queue_start(queue, call, strlen(call));
  CHECK(id != 0);
  return id;
}

/* The call must have this id, and its reply must contain the text. */
static void take(const SAQueue *queue, uint64_t id, const char *part) {
  SAReply *reply = sa_queue_take(queue, -1);
  CHECK(sa_reply_get_id(reply) == id);
  size_t length = 0;
  const char *json = sa_reply_get_json(reply, &length);
  CHECK(strlen(json) == length && strstr(json, part) != NULL);
  sa_reply_free(reply);
}

static void test_queue(void) {
  SAQueue *queue = sa_queue_new();
  CHECK(queue != NULL);
  CHECK(sa_queue_take(queue, 0) == NULL && sa_queue_take(queue, 20) == NULL);
  CHECK_TEXT(sa_get_last_error(), "");
  uint64_t healing = start(queue, "{\"call\": \"heal\", \"text\": \"[1,\"}");
  take(queue, healing, "\"value\":[1]");
  uint64_t opening = start(queue, "{\"call\": \"open-client\", \"options\": {\"provider\": \"simulated\"}}");
  CHECK(opening != healing);
  SAReply *reply = sa_queue_take(queue, -1);
  int client = 0;
  CHECK(sscanf(sa_reply_get_json(reply, NULL), "{\"id\":%*u,\"result\":{\"client\":%d", &client) == 1);
  sa_reply_free(reply);
  char call[160];
  snprintf(call, sizeof call, "{\"call\": \"complete\", \"client\": %d, \"input\": \"Count to 3\"}", client);
  take(queue, start(queue, call), "1, 2, 3");
  uint64_t cancelled = start(queue, call);
  CHECK(sa_queue_cancel(queue, cancelled) == SA_OK);
  take(queue, cancelled, "\"id\"");
  CHECK(sa_queue_cancel(queue, cancelled) == SA_OK && sa_queue_cancel(queue, 1234567) == SA_OK);
  take(queue, start(queue, "{\"call\": \"nothing\"}"), "\"kind\":\"bad-request\"");
  /* Replies that are on their way do not need the queue. */
  for (int count = 0; count < 20; count++) start(queue, call);
  sa_queue_free(queue);
}

static void test_wrong_queue_arguments(void) {
  SAQueue *queue = sa_queue_new();
  const char *wrong[] = {"", "{", "[]", "{}", "{\"call\": 5}", "\xff"};
  for (size_t index = 0; index < sizeof wrong / sizeof *wrong; index++) {
    CHECK(sa_queue_start(queue, wrong[index], strlen(wrong[index])) == 0);
    CHECK(strncmp(sa_get_last_error(), "call_json: ", 11) == 0);
  }
  CHECK(sa_queue_start(queue, NULL, 0) == 0 && sa_queue_start(NULL, "{}", 2) == 0);
  CHECK_TEXT(sa_get_last_error(), "queue: must not be NULL");
  CHECK(sa_queue_cancel(NULL, 1) == SA_ERR_INVALID_ARG && sa_queue_take(NULL, -1) == NULL);
  CHECK_TEXT(sa_get_last_error_kind(), "bad-request");
  size_t length = 7;
  CHECK(sa_reply_get_id(NULL) == 0 && sa_reply_get_json(NULL, &length) == NULL && length == 0);
  sa_reply_free(NULL);
  sa_queue_free(NULL);
  sa_queue_free(queue);
}

static void test_fork(void) {
  SAClient *client = simulated();
  SAQueue *queue = sa_queue_new();
  SARequest *request = request_for("Count to 3");
  CHECK(sa_complete(client, request, NULL) == SA_OK);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    int is_good = sa_complete(client, request, NULL) == SA_OK && sa_heal("[1,", 3, NULL, NULL, NULL) == SA_OK;
    /* A queue stays with the parent. */
    is_good = is_good && sa_queue_take(queue, -1) == NULL && sa_queue_start(queue, "{}", 2) == 0;
    sa_client_free(client);
    _exit(is_good ? 0 : 1);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK(sa_complete(client, request, NULL) == SA_OK);
  sa_queue_free(queue);
  sa_request_free(request);
  sa_client_free(client);
}

/* With an argument, without the test of fork: in the child, valgrind takes the memory of the parent's threads for lost. */
int main(int count, char **values) {
  (void)values;
  test_errors_of_threads();
  test_lifecycle();
  test_null();
  test_wrong_arguments();
  test_repeated_use();
  test_streams();
  test_nul();
  test_null_value();
  test_odd_json();
  test_nul_in_error();
  test_tools();
  test_cancelled_request();
  test_queue();
  test_wrong_queue_arguments();
  if (count == 1) test_fork();
  puts("contract: passed");
  return 0;
}
