/* fuzz_topology.c - libFuzzer target: any bytes as a topology file.
 *
 * Whatever the bytes, reading ends well or with a message; what was read can be built or is refused, and then every node
 * of it has a way to every other or none. */
#include "sim/network/importer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    NODES = 8
};

static void walk(const struct gs_topology *t)
{
    uint32_t links[64];
    for (uint32_t a = 0; a < NODES; a++)
        for (uint32_t b = 0; b < NODES; b++) {
            const uint32_t n = gs_topology_route(t, a, 0, b, 0, links, 64, NULL);
            if (n != GS_NONE && n > 64)
                abort();
            if (n != gs_topology_route(t, b, 0, a, 0, links, 64, NULL))
                abort();
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const name[NODES] = {"n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"};
    static const char *const format[] = {NULL, "slurm", "topograph", "labels"};
    struct gs_net_node node[NODES];
    struct gs_net_import in;
    struct gs_err err = {0};
    const struct gs_net_rule rule = {.kind = GS_TOPOLOGY_FILE, .pxn = 1};
    char *const text = malloc(size + 1);
    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    for (size_t f = 0; f < sizeof format / sizeof *format; f++) {
        struct gs_topology *t = NULL;
        for (uint32_t i = 0; i < NODES; i++)
            node[i] = (struct gs_net_node){name[i], 8, 2, 1000000, GS_NONE};
        if (gs_net_import_read(&in, "fuzz", format[f], text, size, node, NODES, &err) == GS_OK &&
            gs_topology_build(&t, &rule, node, NODES, &in.tree, &err) == GS_OK)
            walk(t);
        gs_topology_free(t);
        gs_net_import_release(&in);
    }
    free(text);
    return 0;
}
