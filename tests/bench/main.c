/* main.c - gsim-bench: ratios against a reference run in the same program, and counts; never a timed test. */
#include "tests/bench/hold.h"

int main(void)
{
    return bench_hold();
}
