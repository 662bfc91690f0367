/* textfile.h - a text file that appears whole or not at all: written as PATH.part.XXXXXX (a name of its writer's own), synced,
 * then given its name.
 *
 * `-` is standard output. What is there and is no regular file (/dev/null, a pipe, a
 * link such as /dev/stdout, in whose place a rename would put a file) is written directly. A signal in between leaves no
 * .part behind (gs_part_path, run.h). */
#ifndef GS_TEXTFILE_H
#define GS_TEXTFILE_H

#include "sim/base/err.h"

#include <stddef.h>
#include <stdio.h>

struct gs_textfile {
    FILE *to;          /* NULL = not open */
    char *path, *part; /* part NULL = written directly */
};

GS_NODISCARD enum gs_rc gs_textfile_open(struct gs_textfile *f, const char *path,
                                         struct gs_err *err);
/* ctx is the struct gs_textfile. */
GS_NODISCARD enum gs_rc gs_textfile_put(void *ctx, const char *bytes, size_t n, struct gs_err *err);
/* Closes: gives the file its name if rc is GS_OK, else removes what was written; returns rc or the first fault. */
GS_NODISCARD enum gs_rc gs_textfile_close(struct gs_textfile *f, enum gs_rc rc, struct gs_err *err);

#endif
