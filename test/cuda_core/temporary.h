/* Files that a test makes, where temporary ones are wanted: in TMPDIR, else in /tmp. */
#ifndef TEST_TEMPORARY_H
#define TEST_TEMPORARY_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A new one, empty; false: there is none. */
static inline bool temporary(char path[4096])
{
	const char *folder = getenv("TMPDIR");
	int fd;

	snprintf(path, 4096, "%s/regloom-test-XXXXXX", folder && *folder ? folder : "/tmp");
	fd = mkstemp(path);
	return fd >= 0 && close(fd) == 0;
}

/* Is that text in its first 16 KiB? */
static inline bool file_has(const char *path, const char *text)
{
	char all[1 << 14];
	FILE *f = fopen(path, "r");

	all[f ? fread(all, 1, sizeof all - 1, f) : 0] = 0;
	if (f)
		fclose(f);
	return strstr(all, text) != NULL;
}

#endif
