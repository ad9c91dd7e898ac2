/* Checks for the contract tests: a failed one prints its line and ends the program. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: %s\nlast error: %s\n", __FILE__, __LINE__, #condition, sa_get_last_error()); \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

#define CHECK_TEXT(found, expected) CHECK(strcmp((found), (expected)) == 0)

#endif
