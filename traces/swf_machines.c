/* swf_machines.c - machine files that lie beside some SWF logs (`hpc2n.swf.machines`): a line a kind of machine, no jobs.
 *
 * TAB between fields: number, name, nodes, CPUs a node, speed, memory in KB a node (the last three by their looks; not stated anywhere).
 * The file is shown as it stands. */
#include "traces/decimal.h"
#include "traces/reader.h"

#include <string.h>

#include "sim/base/banned.h"

enum {
    FIELDS = 6,
    LINE_MAX = 256
};

/* "0<TAB>seth<TAB>120<TAB>2<TAB>1<TAB>1048576": numbers but for the second. */
static int is_machine(const char *line, size_t n)
{
    char text[LINE_MAX];
    if (n == 0 || n >= sizeof text)
        return 0;
    memcpy(text, line, n);
    text[n] = '\0';
    size_t k = 0;
    for (char *s = text; s; k++) {
        char *next = strchr(s, '\t');
        int64_t x = 0;
        if (next)
            *next++ = '\0';
        if ((gs_decimal_read(s, 6, &x) <= GS_DECIMAL_INEXACT) == (k == 1))
            return 0;
        s = next;
    }
    return k == FIELDS;
}

static int guess(const struct gs_probe *p)
{
    return is_machine(p->text, strcspn(p->text, "\r\n"));
}

static enum gs_rc scan(struct gs_scan *s)
{
    struct gs_buf all = {0};
    enum gs_rc rc = GS_OK;
    for (int64_t line = 1; rc == GS_OK; line++) {
        const char *text = NULL;
        size_t n = 0;
        rc = gs_input_line(s->in, &text, &n, s->err);
        if (rc != GS_OK || n == 0)
            break;
        while (n > 0 && strchr("\r\n", text[n - 1]))
            n--;
        if (n == 0)
            continue;
        struct gs_row r = gs_scan_row(s, line);
        if (!is_machine(text, n))
            rc = gs_row_end(&r, gs_row_bad(&r, "not a machine", "machine", "",
                                           "is not 6 fields, numbers but for the second"));
        else
            s->n->emitted++;
        gs_buf_str(&all, all.n ? " " : "");
        gs_buf_add(&all, text, n);
    }
    for (size_t i = 0; i < all.n; i++)
        all.s[i] = all.s[i] == '\t' ? ' ' : all.s[i];
    if (rc == GS_OK && s->info)
        gs_info_text(s->info, "text", gs_buf_cstr(&all));
    gs_buf_free(&all);
    return rc;
}

const struct gs_reader gs_reader_swf_machines = {
    .name = "swf-machines",
    .what = "machine file beside an SWF log",
    .units = "nodes, CPUs, KB (not stated)",
    .flags = GS_READER_NO_RECORDS,
    .guess = guess,
    .scan = scan,
};
