/* csv.h - reading a packed CSV: gsim against zlib and libcsv alone. */
#ifndef GS_BENCH_CSV_H
#define GS_BENCH_CSV_H

int bench_csv(int rounds, unsigned rows); /* prints the ratios; 1 if a part could not run */

#endif
