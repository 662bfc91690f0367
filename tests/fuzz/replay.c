/* replay.c - runs a fuzz target without libFuzzer: once on every file that is named, or lies in a folder that is named.
 *
 * Every build runs the committed corpus this way, so that an input that once crashed stays a test. With no input at all the
 * program is skipped (77), as a folder that was moved must not look like a pass. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    MAX_INPUT = 1 << 20,
    SKIPPED = 77
};

/* Feeds one file to the target; returns whether it could be read. */
static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        return 0;
    }
    uint8_t *data = (uint8_t *)malloc(MAX_INPUT);
    const size_t size = data ? fread(data, 1, MAX_INPUT, f) : 0;
    (void)fclose(f);
    if (!data)
        return 0;
    /* An exact copy, so that reading one byte too far is seen by the sanitizers. */
    uint8_t *exact = (uint8_t *)realloc(data, size ? size : 1);
    (void)LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 1;
}

static unsigned replay_folder(const char *path, unsigned *failed)
{
    char file[4096];
    unsigned ran = 0;
    DIR *d = opendir(path);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        const int n = snprintf(file, sizeof file, "%s/%s", path, e->d_name);
        if (e->d_name[0] == '.' || n < 0 || (size_t)n >= sizeof file)
            continue;
        ran++;
        *failed += !replay_file(file);
    }
    if (d)
        (void)closedir(d);
    return ran;
}

int main(int argc, char **argv)
{
    unsigned ran = 0;
    unsigned failed = 0;
    for (int i = 1; i < argc; i++) {
        struct stat st;
        if (stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode)) {
            ran += replay_folder(argv[i], &failed);
        } else {
            ran++;
            failed += !replay_file(argv[i]);
        }
    }
    printf("%u inputs, %u unreadable\n", ran, failed);
    if (failed)
        return 1;
    return ran ? 0 : SKIPPED;
}
