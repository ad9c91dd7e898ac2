/*
 * SimpleAgents for C: one client for every language model, with typed answers healed from damaged text.
 *
 *   - Every `_new` has a `_free`. Responses are freed with `sa_response_free`.
 *   - NULL is safe as every argument. Where a value is needed, the call fails with SA_ERR_INVALID_ARG.
 *   - Texts are UTF-8 and end with a NUL. They live until their parent is freed. A text may contain a NUL; its length is
 *     available beside it. Texts without a length have U+FFFD in its place.
 *   - A client can be used by many threads at once. A request can too, while no thread changes it.
 *   - After `fork` the child can use clients and requests of its parent: it starts an engine of its own.
 *   - The library starts its threads with the first call. They handle no signals and end with the process.
 */
#ifndef SIMPLE_AGENTS_H
#define SIMPLE_AGENTS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SAClient SAClient;
typedef struct SARequest SARequest;
typedef struct SAResponse SAResponse;
typedef struct SAQueue SAQueue;
typedef struct SAReply SAReply;

#define SA_OK 0
/* An argument, an option or the request is wrong. */
#define SA_ERR_INVALID_ARG -1
/* The provider or the connection to it failed. */
#define SA_ERR_PROVIDER -2
#define SA_ERR_TIMEOUT -3
/* A callback returned non-zero, or sa_request_cancel was called. */
#define SA_ERR_CANCELLED -4
/* The text does not match the schema and cannot be healed. */
#define SA_ERR_HEALING -5
/* A bug of the library. */
#define SA_ERR_INTERNAL -6

/* ---- Errors ---- */

/* The message of the last call on this thread; empty if it succeeded. Valid until the next call on this thread. */
const char *sa_get_last_error(void);
/* Its kind: "auth", "rate-limit", "timeout", "aborted", ...; see docs/bindings.md. */
const char *sa_get_last_error_kind(void);
/* All details as JSON: kind, message, retryable, status, retryAfterMs, target, requestId, ... */
const char *sa_get_last_error_json(void);

/* ---- Client ---- */

/*
 * A client for a provider: "openai", "anthropic", ..., or "simulated", which needs neither key nor network.
 * If api_key is NULL or empty, the environment variable of the provider is used. Returns NULL if it fails.
 */
SAClient *sa_client_new(const char *provider, const char *api_key);
/* A client from the JSON of the options of createClient: {"provider": "openai", "timeout": "30s", "retry": {...}}. */
SAClient *sa_client_new_with_options(const char *options_json);
/* Ends the calls that are running. No other thread may use the client any more. */
void sa_client_free(SAClient *client);

/* ---- Request ---- */

SARequest *sa_request_new(void);
void sa_request_free(SARequest *request);
/* role: "system", "user" or "assistant". */
int sa_request_add_message(SARequest *request, const char *role, const char *content);
/* As above, for a content that may contain NUL. */
int sa_request_add_message_n(SARequest *request, const char *role, const char *content, size_t length);
/* Appends the message of the model, to continue the conversation. */
int sa_request_add_response(SARequest *request, const SAResponse *response);
/* Appends the result of a tool call of that message. */
int sa_request_add_tool_result(SARequest *request, const char *call_id, const char *content, int is_error);
int sa_request_set_model(SARequest *request, const char *model);
/*
 * Sets fields of the request, as a JSON object: {"temperature": 0, "maxTokens": 100, "tools": [...], "schema": {...}}.
 * With a schema, the answer is typed: see sa_response_get_value and sa_stream_partials.
 */
int sa_request_set_options(SARequest *request, const char *options_json);
/* Ends the calls that use this request, and those that will. May be called by any thread until the request is freed. */
int sa_request_cancel(const SARequest *request);

/* ---- Calls: they return SA_OK or one of SA_ERR_* ---- */

/* Waits for the whole answer. *response_out is NULL after a failure; response_out may be NULL. */
int sa_complete(SAClient *client, const SARequest *request, SAResponse **response_out);

/* Called on the thread of the caller. data is valid during the callback. A non-zero result ends the stream. */
typedef int (*SAStreamCallback)(const char *data, size_t length, void *user_data);

/* Streams the text of the answer. */
int sa_stream_text(SAClient *client, const SARequest *request, SAStreamCallback callback, void *user_data,
                   SAResponse **response_out);
/* Streams all events as JSON: text, reasoning, tool calls, usage. */
int sa_stream_events(SAClient *client, const SARequest *request, SAStreamCallback callback, void *user_data,
                     SAResponse **response_out);
/* Streams the typed value while it grows, as JSON. The request needs a schema. */
int sa_stream_partials(SAClient *client, const SARequest *request, SAStreamCallback callback, void *user_data,
                       SAResponse **response_out);

/*
 * Reads the value that a damaged text was meant to be. schema_json and options_json may be NULL.
 * The response has a value, a confidence and, in its JSON, the changes that were made.
 */
int sa_heal(const char *text, size_t length, const char *schema_json, const char *options_json,
            SAResponse **response_out);

/* ---- Response ---- */

void sa_response_free(SAResponse *response);
/* The text of the answer; after sa_heal the value as JSON. NULL only for a NULL response. */
const char *sa_response_get_content(const SAResponse *response);
size_t sa_response_get_content_length(const SAResponse *response);
/* The typed value as JSON; NULL if the request had no schema. length_out may be NULL here and below. */
const char *sa_response_get_value(const SAResponse *response, size_t *length_out);
/* Everything as JSON. */
const char *sa_response_get_json(const SAResponse *response, size_t *length_out);
const char *sa_response_get_model(const SAResponse *response);
/* "end", "length", "tool-calls", ... */
const char *sa_response_get_stop_reason(const SAResponse *response);
/* These three return 1 and write the numbers, or return 0 if they are unknown. The cost is in US dollars. */
int sa_response_get_usage(const SAResponse *response, int64_t *input_tokens_out, int64_t *output_tokens_out);
int sa_response_get_cost(const SAResponse *response, double *cost_out);
/* From 0 to 1; exactly 1 if healing changed nothing. */
int sa_response_get_confidence(const SAResponse *response, double *confidence_out);

size_t sa_response_get_tool_call_count(const SAResponse *response);
/* NULL if there is no such call. */
const char *sa_response_get_tool_call_id(const SAResponse *response, size_t index);
const char *sa_response_get_tool_call_name(const SAResponse *response, size_t index);
/* The arguments as JSON, healed. Not usable if the call has an error. */
const char *sa_response_get_tool_call_arguments(const SAResponse *response, size_t index, size_t *length_out);
/* Why the arguments are not usable, or NULL. */
const char *sa_response_get_tool_call_error(const SAResponse *response, size_t index);

/* ---- Queues: many calls at once without a thread for each, for event loops and for other languages ---- */

/* All threads may use a queue. It belongs to the process that created it; a child needs its own. */
SAQueue *sa_queue_new(void);
/* Drops the replies that nobody has taken and those that follow. No other thread may use the queue any more. */
void sa_queue_free(SAQueue *queue);
/*
 * Starts a call and returns its id, or 0 if it fails. The call is JSON, such as
 * {"call": "open-client", "options": {"provider": "simulated"}}; docs/bindings.md lists the calls. It gets exactly one
 * reply, which may arrive before this function returns.
 */
uint64_t sa_queue_start(const SAQueue *queue, const char *call_json, size_t length);
/* Ends a call. Its reply is an error of the kind "aborted", unless it was on its way. Healing cannot be ended. */
int sa_queue_cancel(const SAQueue *queue, uint64_t id);
/* Waits for the next reply of any call; NULL if there is none within the time. A negative time has no limit. */
SAReply *sa_queue_take(const SAQueue *queue, int64_t timeout_ms);

/* The id of the call; 0 for a NULL reply. */
uint64_t sa_reply_get_id(const SAReply *reply);
/* {"id": 1, "result": {...}} or {"id": 1, "error": {"kind": "timeout", "message": ...}}. NULL only for a NULL reply. */
const char *sa_reply_get_json(const SAReply *reply, size_t *length_out);
void sa_reply_free(SAReply *reply);

#ifdef __cplusplus
}
#endif

#endif
