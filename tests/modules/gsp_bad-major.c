/* gsp_bad-major.c - built for another major version. */
#define BAD_ID    "bad-major"
#define BAD_MAJOR 7
#include "bad.h"
