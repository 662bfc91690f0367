/* import_slurm.c - Slurm's topology.conf: lines of KEY=VALUE, a switch or a block each. */
#include "sim/base/buf.h"
#include "sim/base/units.h"
#include "sim/network/importer_priv.h"

#include <ctype.h>
#include <string.h>

#include "sim/base/banned.h"

enum {
    SIZES_MAX = 8,
    NAME_MAX_SLURM = 64
};

struct slurm {
    struct gs_net_import *in;
    unsigned line;
    uint64_t size[SIZES_MAX];
    uint32_t nsizes;
    unsigned size_line;
    int blocks, switches;
};

/* What one line says; pointers into the line, NULL = not said. */
struct row {
    char *switch_name, *block_name, *sizes, *nodes, *switches;
};

static int same_word(const char *a, const char *b)
{
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

/* Where KEY's value goes; NULL = it is known and does not matter; *known = 0: it is not. */
static char **place_of(struct row *r, const char *key, int *known)
{
    static const char *const ignored[] = {"LinkSpeed", "Comment", "Topology"};

    const struct {
        const char *key;
        char **at;
    } all[] = {{"SwitchName", &r->switch_name},
               {"BlockName", &r->block_name},
               {"BlockSizes", &r->sizes},
               {"Nodes", &r->nodes},
               {"Switches", &r->switches}};

    *known = 1;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (same_word(key, all[i].key))
            return all[i].at;
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (same_word(key, ignored[i]))
            return NULL;
    *known = 0;
    return NULL;
}

static enum gs_rc split_row(struct slurm *s, char *line, struct row *r, struct gs_err *err)
{
    for (char *p = line + strspn(line, " \t"); *p; p += strspn(p, " \t")) {
        const size_t n = strcspn(p, " \t");
        const int last = p[n] == '\0';
        p[n] = '\0';
        char *const equals = strchr(p, '=');
        int known = 0;
        if (!equals)
            return gs_import_fail(s->in, s->line, err, "'%.64s' is not KEY=VALUE", p);
        *equals = '\0';
        char **const at = place_of(r, p, &known);
        if (!known)
            return gs_import_fail(s->in, s->line, err, "unknown key '%.64s'", p);
        if (at && *at)
            return gs_import_fail(s->in, s->line, err, "'%.64s' is said twice", p);
        if (at)
            *at = equals + 1;
        p += n + (last ? 0 : 1);
    }
    return GS_OK;
}

static enum gs_rc read_sizes(struct slurm *s, const char *text, struct gs_err *err)
{
    char word[24];
    s->nsizes = 0;
    s->size_line = s->line;
    for (const char *p = text; *p && s->nsizes < SIZES_MAX;) {
        const size_t n = strcspn(p, ",");
        int64_t size = 0;
        (void)gs_fmt(word, sizeof word, "%.*s", (int)(n < 20 ? n : 20), p);
        if (gs_parse_int(word, 1, 1000000, &size, NULL) != GS_OK)
            return gs_import_fail(s->in, s->line, err, "BlockSizes: '%s' is not a number of nodes",
                                  word);
        s->size[s->nsizes++] = (uint64_t)size;
        p += n + (p[n] == ',');
    }
    return GS_OK;
}

static enum gs_rc read_row(struct slurm *s, const struct row *r, struct gs_err *err)
{
    const char *name = r->switch_name ? r->switch_name : r->block_name;
    if (r->sizes && !name)
        return read_sizes(s, r->sizes, err);
    if (!name || !*name || (r->switch_name && r->block_name))
        return gs_import_fail(s->in, s->line, err,
                              "expected SwitchName=, BlockName= or BlockSizes=");
    if (strlen(name) > NAME_MAX_SLURM)
        return gs_import_fail(s->in, s->line, err, "the name has more than %d bytes",
                              NAME_MAX_SLURM);
    s->blocks |= r->block_name != NULL;
    s->switches |= r->switch_name != NULL;
    if (s->blocks && s->switches)
        return gs_import_fail(s->in, s->line, err, "switches and blocks in one file");
    if ((r->nodes && r->switches) || (!r->nodes && !r->switches) || (r->block_name && r->switches))
        return gs_import_fail(s->in, s->line, err, "'%s' needs Nodes%s", name,
                              r->block_name ? "" : " or Switches, and not both");
    const uint32_t g = gs_import_group(s->in, name);
    return r->nodes ? gs_import_nodes(s->in, g, r->nodes, s->line, err)
                    : gs_import_children(s->in, g, r->switches, s->line, err);
}

static enum gs_rc read_line(struct slurm *s, struct gs_buf *b, struct gs_err *err)
{
    struct row r = {0};
    if (b->n == 0)
        return GS_OK;
    char *const hash = strchr(b->s, '#');
    if (hash)
        *hash = '\0';
    const enum gs_rc rc = split_row(s, b->s, &r, err);
    const int said = r.switch_name || r.block_name || r.sizes || r.nodes || r.switches;
    return rc != GS_OK || !said ? rc : read_row(s, &r, err);
}

enum gs_rc gs_import_slurm(struct gs_net_import *in, const char *text, size_t n, struct gs_err *err)
{
    struct slurm s = {.in = in};
    struct gs_buf b = {0};
    enum gs_rc rc = GS_OK;
    unsigned line = 0;
    for (const char *p = text, *end = text + n; p < end && rc == GS_OK;) {
        const size_t len = strcspn(p, "\r\n");
        const int more = len > 0 && p[len - 1] == '\\';
        s.line = b.n ? s.line : line + 1; /* a joined line stands where it begins */
        line++;
        gs_buf_add(&b, p, more ? len - 1 : len);
        p += len;
        p += *p == '\r' && p[1] == '\n' ? 2 : *p != '\0';
        if (more && p < end)
            continue;
        rc = read_line(&s, &b, err);
        gs_buf_clear(&b);
    }
    gs_buf_free(&b);
    if (rc != GS_OK)
        return rc;
    in->format = s.blocks ? "slurm block" : "slurm tree";
    if (s.blocks)
        return gs_import_blocks(in, s.size, s.nsizes, s.size_line, err);
    return GS_OK;
}
