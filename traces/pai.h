/* pai.h - what the readers of the Alibaba PAI 2020 tables share: files without a header line, told by the look of their first row. */
#ifndef GS_TRACES_PAI_H
#define GS_TRACES_PAI_H

#include "traces/table.h"

enum {
    GS_PAI_COLUMNS_MAX = 17, /* one more than the widest table has */
    GS_PAI_TEXT_MAX = 1024
};

/* The first line of a file, cut at its commas. */
struct gs_pai_line {
    char text[GS_PAI_TEXT_MAX];
    const char *field[GS_PAI_COLUMNS_MAX];
    size_t n;    /* 0 = there is no such line, or it is too long */
    int is_last; /* nothing stands behind it */
};

void gs_pai_first_line(const char *text, size_t n, struct gs_pai_line *out);
/* Is the line the names of t's fields, in order (someone put the `.header` file before the table)? */
int gs_pai_is_header(const struct gs_pai_line *l, const struct gs_table *t);
/* Terminated, Failed, Running, Waiting */
int gs_pai_is_status(const char *s);

/* The task table, for the reader of headers. */
extern const struct gs_table gs_pai_tasks;
int gs_pai_is_task(const struct gs_pai_line *l);

/* Instances as tasks of a gang: percent of a GPU each, in thousandths of a GPU (50 % = 500). Over one GPU only whole ones can be asked
 * for: rounded up, and counted. 0 = no GPU. */
void gs_pai_gang(struct gs_scan *s, struct gs_job *j, int64_t instances, int64_t milli);

#endif
