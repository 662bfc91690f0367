/* gsp_bad-ops.c - a table of ops that ends too early. */
#define BAD_ID       "bad-ops"
#define BAD_OPS_SIZE 24
#include "bad.h"
