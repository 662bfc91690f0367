/* plot.c - a script of all charts, and the charts from it.
 *
 * One script holds everything: the data as named blocks, the style, the commands. Drawn by us or kept with --script, it is the same text; OUT
 * chooses the terminal and PART the suffix under which a chart stands until it is whole. Charts are renamed only after gnuplot ended
 * well, so there is either a full set or the previous one. */
#include "analysis/plot.h"

#include "analysis/gnuplot.h"
#include "analysis/plotchart.h"
#include "analysis/plotdata.h"
#include "sim/base/buf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/banned.h"

#ifndef GSIM_SHARE_DIR
#define GSIM_SHARE_DIR "."
#endif
#ifndef GSIM_SHARE_DIR_INSTALLED
#define GSIM_SHARE_DIR_INSTALLED GSIM_SHARE_DIR
#endif

#define PART         ".part"
#define POINTS_ONE   400u /* samples drawn of one run */
#define POINTS_SWEEP 250u /* and of each of several, so that lines can be told apart */

struct kind {
    const char *name; /* in the file's name */
    gs_chart *draw;
};

static const struct kind charts_of_run[] = {{"utilisation", gs_draw_usage},
                                            {"wait-ecdf", gs_draw_waits},
                                            {"wait-causes", gs_draw_causes},
                                            {"fragmentation", gs_draw_fragments},
                                            {"nodes", gs_draw_map}};

static const struct kind charts_of_sweep[] = {{"sweep-utilisation", gs_draw_sweep_usage},
                                              {"sweep-wait-ecdf", gs_draw_sweep_waits}};

void gs_path_vec_free(gs_path_vec *v)
{
    for (size_t i = 0; i < v->n; i++)
        gs_free(v->v[i]);
    gs_vec_free(v);
}

/* ---- names ---------------------------------------------------------------------------------- */

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "a/run.h5" -> "run" */
static char *stem_of(const char *path)
{
    const char *name = file_name(path);
    const size_t len = strlen(name);
    const int h5 = len > 3 && strcmp(name + len - 3, ".h5") == 0;
    return gs_strndup(name, h5 ? len - 3 : len);
}

/* What the names of all files have in common up to a dot: "q.fifo.h5" and "q.easy.h5" -> "q". */
static char *common_stem(const char *const *paths, size_t n)
{
    const char *first = file_name(paths[0]);
    size_t same = strlen(first);
    for (size_t i = 1; i < n; i++) {
        const char *name = file_name(paths[i]);
        size_t k = 0;
        while (k < same && name[k] == first[k])
            k++;
        same = k;
    }
    char *stem = n > 1 ? gs_strndup(first, same) : stem_of(paths[0]);
    char *dot = n > 1 ? strrchr(stem, '.') : NULL;
    if (dot)
        *dot = '\0';
    if (*stem == '\0') {
        char *a = stem_of(paths[0]), *b = stem_of(paths[n > 1]); /* named after the first two */
        struct gs_buf both = {0};
        gs_buf_fmt(&both, "%s-vs-%s%s", a, b, n > 2 ? "-and-others" : "");
        gs_free(stem);
        gs_free(a);
        gs_free(b);
        stem = both.s;
    }
    return stem;
}

/* The names of the lines. For a label that is only the path of its file the point's own label stands in, or else the path, cut to where it
 * differs from the others. */
static char **line_names(const char *const *h5, const char *const *labels,
                         const struct gs_plot_run *runs, size_t n, const char *stem)
{
    char **names = GS_NEW_N(char *, n);
    const size_t same = strlen(stem);
    for (size_t i = 0; i < n; i++) {
        const int is_path = strcmp(labels[i], h5[i]) == 0;
        if (!is_path || (runs[i].label && *runs[i].label)) {
            names[i] = gs_strdup(is_path ? runs[i].label : labels[i]);
            continue;
        }
        char *own = stem_of(h5[i]);
        const int point = strncmp(own, stem, same) == 0 && own[same] == '.' && own[same + 1];
        names[i] = gs_strdup(point ? own + same + 1 : own);
        gs_free(own);
    }
    return names;
}

static char *folder_for(const struct gs_plot_to *to, const char *h5)
{
    if (to->dir && *to->dir)
        return gs_strdup(to->dir);
    const char *name = file_name(h5);
    return name == h5 ? gs_strdup(".") : gs_strndup(h5, (size_t)(name - h5));
}

static enum gs_rc make_folder(const char *dir, struct gs_err *err)
{
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return gs_fail(err, GS_E_IO, "%s: cannot make the folder of the charts: %s", dir,
                       strerror(errno));
    struct stat st;
    if (stat(dir, &st) != 0 || !S_ISDIR(st.st_mode))
        return gs_fail(err, GS_E_IO, "%s: is not a folder, charts cannot go there", dir);
    if (access(dir, W_OK | X_OK) != 0)
        return gs_fail(err, GS_E_IO, "%s: charts cannot be written there: %s", dir,
                       strerror(errno));
    return GS_OK;
}

static enum gs_rc format_of(const struct gs_plot_to *to, const char **format, struct gs_err *err)
{
    static const char *const known[] = {"svg", "png", "pdf"};
    *format = to->format && *to->format ? to->format : "svg";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(*format, known[i]) == 0)
            return GS_OK;
    }
    return gs_fail(err, GS_E_INPUT, "'%s' is not a format of charts (svg, png or pdf)", *format);
}

/* ---- the script ----------------------------------------------------------------------------- */

static enum gs_rc read_style(struct gs_buf *out, struct gs_err *err)
{
    static const char *const places[] = {GSIM_SHARE_DIR "/analysis/plot/style.gp",
                                         GSIM_SHARE_DIR_INSTALLED "/analysis/plot/style.gp"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        FILE *f = fopen(places[i], "rb");
        if (!f)
            continue;
        char block[2048];
        size_t n;
        while ((n = fread(block, 1, sizeof block, f)) > 0)
            gs_buf_add(out, block, n);
        const int bad = ferror(f);
        (void)fclose(f);
        return bad ? gs_fail(err, GS_E_IO, "%s: cannot be read", places[i]) : GS_OK;
    }
    return gs_fail(err, GS_E_IO, "%s: the style of the charts is missing (is gsim installed?)",
                   places[0]);
}

struct job {
    const struct kind *charts;
    size_t ncharts;
    const struct gs_plot_run *runs;
    const char *const *labels;
    size_t nruns;
    const char *stem;
    const struct gs_buf
        *text; /* of the one chart, where it is ready; else it is drawn from the runs */
};

static void start_script(struct gs_buf *out, const struct job *j, const char *format,
                         const char *dir, const char *part)
{
    gs_buf_fmt(
        out,
        "# Charts of a gsim run, data included. Draw them with: gnuplot -e \"OUT='png'\" FILE   (or svg, pdf)\n"
        "if (!exists(\"OUT\")) OUT = '%s'\nif (!exists(\"DIR\")) DIR = ",
        format);
    gs_gnuplot_quote(out, dir);
    gs_buf_str(out, "\nif (!exists(\"PART\")) PART = ");
    gs_gnuplot_quote(out, part);
    gs_buf_str(out, "\nNAME = ");
    gs_gnuplot_quote(out, j->stem);
    gs_buf_str(out, "\n");
}

static enum gs_rc write_charts(struct gs_buf *out, const struct job *j, struct gs_err *err)
{
    struct gs_buf style = {0};
    const enum gs_rc rc = read_style(&style, err);
    for (size_t i = 0; rc == GS_OK && i < j->ncharts; i++) {
        gs_buf_fmt(out, "\n# ---- %s ----\n%s", j->charts[i].name, gs_buf_cstr(&style));
        gs_buf_fmt(out, "set output DIR.'/'.NAME.'.%s.'.OUT.PART\n", j->charts[i].name);
        gs_require(j->text || j->charts[i].draw);
        if (j->text)
            gs_buf_add(out, j->text->s, j->text->n);
        else
            j->charts[i].draw(out, j->runs, j->labels, j->nruns);
        gs_buf_str(out, "unset output\n");
    }
    gs_buf_free(&style);
    return rc;
}

/* ---- files ---------------------------------------------------------------------------------- */

static enum gs_rc keep_script(const struct gs_buf *script, const char *path, gs_path_vec *made,
                              struct gs_err *err)
{
    struct gs_buf part = {0};
    gs_buf_fmt(&part, "%s" PART, path);
    FILE *f = fopen(part.s, "wb");
    int bad = !f;
    if (f) {
        bad = fwrite(script->s, 1, script->n, f) != script->n;
        bad |= fflush(f) != 0 || fsync(fileno(f)) != 0;
        bad |= fclose(f) != 0;
    }
    if (!bad)
        bad = rename(part.s, path) != 0;
    enum gs_rc rc = GS_OK;
    if (bad) {
        rc = gs_fail(err, GS_E_IO, "%s: the script cannot be written: %s", path, strerror(errno));
        if (f)
            (void)unlink(part.s);
    } else {
        gs_vec_push(made, gs_strdup(path));
    }
    gs_buf_free(&part);
    return rc;
}

/* The parts become charts, or after a failure they go. */
static enum gs_rc settle(const struct job *j, const char *dir, const char *format, enum gs_rc rc,
                         gs_path_vec *made, struct gs_err *err)
{
    for (size_t i = 0; i < j->ncharts; i++) {
        struct gs_buf path = {0}, part = {0};
        gs_buf_fmt(&path, "%s/%s.%s.%s", dir, j->stem, j->charts[i].name, format);
        gs_buf_fmt(&part, "%s" PART, path.s);
        struct stat st;
        if (rc == GS_OK && (stat(part.s, &st) != 0 || st.st_size == 0))
            rc = gs_fail(err, GS_E_IO, "%s: gnuplot wrote nothing (is the disk full?)", path.s);
        if (rc == GS_OK && rename(part.s, path.s) != 0)
            rc = gs_fail(err, GS_E_IO, "%s: cannot be put in place: %s", path.s, strerror(errno));
        if (rc != GS_OK)
            (void)unlink(part.s);
        else
            gs_vec_push(made, gs_strdup(path.s));
        gs_buf_free(&path);
        gs_buf_free(&part);
    }
    return rc;
}

static enum gs_rc draw(const struct job *j, const struct gs_plot_to *to, const char *first_h5,
                       gs_path_vec *made, struct gs_err *err)
{
    const char *format;
    enum gs_rc rc = format_of(to, &format, err);
    if (rc != GS_OK)
        return rc;
    struct gs_buf script = {0};
    char *dir = folder_for(to, first_h5);
    const size_t len = strlen(dir);
    if (len > 1 && dir[len - 1] == '/')
        dir[len - 1] = '\0';
    start_script(&script, j, format, to->script ? "." : dir, to->script ? "" : PART);
    rc = write_charts(&script, j, err);
    if (rc == GS_OK && to->script) {
        rc = keep_script(&script, to->script, made, err);
    } else if (rc == GS_OK) {
        rc = make_folder(dir, err);
        if (rc == GS_OK)
            rc = settle(j, dir, format, gs_gnuplot_run(&script, err), made, err);
    }
    gs_free(dir);
    gs_buf_free(&script);
    return rc;
}

/* ---- what others call ----------------------------------------------------------------------- */

enum gs_rc gs_plot(const char *h5, const struct gs_plot_to *to, gs_path_vec *made,
                   struct gs_err *err)
{
    struct gs_plot_run run;
    enum gs_rc rc = gs_plot_load(&run, h5, GS_PLOT_MAP, POINTS_ONE, err);
    if (rc != GS_OK)
        return rc;
    char *stem = stem_of(h5);
    const struct job j = {.charts = charts_of_run,
                          .ncharts = sizeof charts_of_run / sizeof *charts_of_run,
                          .runs = &run,
                          .nruns = 1,
                          .stem = stem};
    rc = draw(&j, to, h5, made, err);
    gs_free(stem);
    gs_plot_release(&run);
    return rc;
}

enum gs_rc gs_plot_sweep(const char *const *h5, const char *const *labels, size_t n,
                         const struct gs_plot_to *to, gs_path_vec *made, struct gs_err *err)
{
    gs_require(n > 0);
    struct gs_plot_run *runs = GS_NEW_N(struct gs_plot_run, n);
    char *stem = common_stem(h5, n);
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < n && rc == GS_OK; i++)
        rc = gs_plot_load(&runs[i], h5[i], GS_PLOT_LINES, POINTS_SWEEP, err);
    char **names = line_names(h5, labels, runs, n, stem);
    if (rc == GS_OK) {
        const struct job j = {.charts = charts_of_sweep,
                              .ncharts = sizeof charts_of_sweep / sizeof *charts_of_sweep,
                              .runs = runs,
                              .labels = (const char *const *)names,
                              .nruns = n,
                              .stem = stem};
        rc = draw(&j, to, h5[0], made, err);
    }
    for (size_t i = 0; i < n; i++) {
        gs_plot_release(&runs[i]);
        gs_free(names[i]);
    }
    gs_free(names);
    gs_free(stem);
    gs_free(runs);
    return rc;
}

enum gs_rc gs_plot_text(const char *h5, const char *chart, const struct gs_buf *text,
                        const struct gs_plot_to *to, gs_path_vec *made, struct gs_err *err)
{
    const struct kind kind = {.name = chart};
    char *stem = stem_of(h5);
    const struct job j = {.charts = &kind, .ncharts = 1, .stem = stem, .text = text};
    const enum gs_rc rc = draw(&j, to, h5, made, err);
    gs_free(stem);
    return rc;
}
