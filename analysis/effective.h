/* effective.h - the scenario in effect as a results file keeps it (created_from), looked at as text: which settings a file was made
 * from, and where two files' settings differ. */
#ifndef GS_ANALYSIS_EFFECTIVE_H
#define GS_ANALYSIS_EFFECTIVE_H

#include "sim/base/buf.h"
#include "sim/base/vec.h"

struct gs_section_digest {
    char name[256]; /* "[nodes a]" */
    char digest[9]; /* 8 hex digits */
};

typedef GS_VEC(struct gs_section_digest) gs_section_vec;

/* What the simulation depends on, one "[kind name] key = value" a line: without origins, defaults, names, [output] and [expect]. Two runs with
 * the same text, the same input files and the same program do the same. */
void gs_effective_lines(const char *effective, struct gs_buf *out);
/* 32 hex digits of those lines; the same before and after edits of comments, order of includes or titles. */
void gs_effective_digest(const char *effective, char out[33]);
/* A short digest of the lines of each section, in order of their first line: enough to say where two of them differ. */
void gs_effective_digests(const char *effective, gs_section_vec *out);
/* The sections in which two of them differ, "[nodes a], [policy]", policies and seeds left out; "" = none. */
void gs_effective_sections(const char *a, const char *b, struct gs_buf *out);

#endif
