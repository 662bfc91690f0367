/* gsp_bad-id.c - calls itself something else than its file. */
#define BAD_ID "other"
#include "bad.h"
