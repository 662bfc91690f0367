/* gsp_bad-letters.c - an id of letters that ids do not have. */
#define BAD_ID "Bad_Letters"
#include "bad.h"
