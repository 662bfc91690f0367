/* gsp_bad-size.c - a manifest that ends too early. */
#define BAD_ID   "bad-size"
#define BAD_SIZE 16
#include "bad.h"
