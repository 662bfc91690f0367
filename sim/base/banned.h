/* banned.h - names that this code base does not use, made into compile errors. Included last by
 * every .c file.
 *
 * Memory comes from mem.h (so that there is one place that counts and one that fails); text through
 * gs_fmt and gs_buf (bounded); numbers through units.h (checked); sorting through sort.h (stable);
 * time through the event queue and log.h; randomness through rng.h. mem.c is the only file that may
 * not include this. */
#ifndef GS_BASE_BANNED_H
#define GS_BASE_BANNED_H

#if defined(__GNUC__)
#pragma GCC poison malloc calloc realloc free
#pragma GCC poison strcpy strcat sprintf vsprintf strtok gets
#pragma GCC poison atoi atol atof
#pragma GCC poison rand srand qsort bsearch
#pragma GCC poison localtime gmtime ctime
#pragma GCC poison system alloca setjmp longjmp
#endif

#endif
