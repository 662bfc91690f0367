/* gsp_bad-minor.c - needs a newer host. */
#define BAD_ID         "bad-minor"
#define BAD_HOST_MINOR 99
#include "bad.h"
