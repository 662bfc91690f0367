/* effective.c - every key in effect with its origin, written so that it can be read again.
 *
 * The text is what `validate --show` prints and what a results file keeps: fed back to gs_settings_load it gives the same
 * settings. A long value goes on in indented lines, broken at single blanks because reading puts one blank between the pieces;
 * paths are written relative to the scenario's own folder, whichever included file named them. */
#include "sim/scenario/load.h"

#include <string.h>

#include "sim/base/banned.h"

enum {
    WIDTH = 120,
    LIMIT = 190
};

void gs_effective_section(struct gs_load *l, const char *kind, const char *name)
{
    struct gs_buf *b = &l->s->effective;
    gs_buf_fmt(b, "%s[%s%s%s]\n", b->n ? "\n" : "", kind, *name ? " " : "", name);
}

/* Where to break text: at the last single blank within `room` bytes whose next word does not look like a comment; its
 * whole length if there is none. */
static size_t find_break(const char *text, size_t room)
{
    const size_t n = strlen(text);
    size_t at = 0;
    if (n <= room)
        return n;
    for (size_t i = 1; i + 1 < n && (i <= room || at == 0); i++)
        if (text[i] == ' ' && text[i - 1] != ' ' && !strchr(" ;#", text[i + 1]))
            at = i;
    return at ? at : n;
}

/* "head value ; origin" over as many lines as it needs. */
static void write_value(struct gs_buf *b, const char *head, const char *value, const char *origin)
{
    size_t column = strlen(head);
    gs_buf_str(b, head);
    if (column + strcspn(value, " ") > LIMIT &&
        !strchr(";#", *value)) { /* not even the first word fits */
        gs_buf_str(b, "\n    ");
        column = 4;
    }
    for (;;) {
        const size_t n = find_break(value, WIDTH > column ? WIDTH - column : 1);
        gs_buf_add(b, value, n);
        column += n;
        value += n;
        if (*value == '\0')
            break;
        value++;
        gs_buf_str(b, "\n    ");
        column = 4;
    }
    if (column + strlen(origin) + 3 <= LIMIT)
        gs_buf_fmt(b, " ; %s", origin);
    gs_buf_str(b, "\n");
}

void gs_effective_key(struct gs_load *l, const char *key, const char *value, const char *origin)
{
    struct gs_buf head = {0};
    gs_buf_fmt(&head, *key ? "%s = " : "%s", key);
    write_value(&l->s->effective, gs_buf_cstr(&head), value, origin);
    gs_buf_free(&head);
}

void gs_effective_entry(struct gs_load *l, const struct gs_key *k, const struct gs_ini_entry *e)
{
    const char *value = e->value;
    const int is_path = k && (k->type == GS_KEY_FILE || k->put == GS_PUT_PATH);
    if (is_path && e->at.file < l->ini.files.n)
        value = gs_path_join(&l->s->text, l->ini.files.v[e->at.file].rel, value);
    gs_effective_key(l, e->key, value, e->at.where);
}

void gs_effective_note(struct gs_load *l, const char *key, const char *value, const char *origin)
{
    gs_buf_fmt(&l->s->effective, "; %s = %s ; %s\n", key, value, origin);
}
