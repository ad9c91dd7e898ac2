/* The value that a damaged text was meant to be. */
#include <simple_agents.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  const char *text = "Sure! ```json\n{name: 'Ada', \"age\": \"36\", tags: [\"math\", ";
  const char *schema =
      "{\"type\": \"object\", \"properties\": {\"name\": {\"type\": \"string\"}, \"age\": {\"type\": \"integer\"},"
      " \"tags\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}}}}";
  SAResponse *response = NULL;
  int status = sa_heal(text, strlen(text), schema, NULL, &response);
  if (status == SA_OK) {
    double confidence = 0;
    sa_response_get_confidence(response, &confidence);
    printf("%s\nconfidence %.2f\n", sa_response_get_value(response, NULL), confidence);
  } else {
    fprintf(stderr, "%s: %s\n", sa_get_last_error_kind(), sa_get_last_error());
  }
  sa_response_free(response);
  return status == SA_OK ? 0 : 1;
}
