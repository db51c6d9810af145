/* File descriptors that stay open while the program runs. One that closes all it does not know closes ours too, and the
 * next that it opens has the number. */
#include "runtime-model/cuda/core/internal.h"

#include <sys/stat.h>
#include <unistd.h>

void own_set(struct own *o, int fd)
{
	struct stat s;

	*o = (struct own){ .fd = fd };
	if (fd >= 0 && fstat(fd, &s) == 0) {
		o->device = s.st_dev;
		o->inode = s.st_ino;
	}
}

bool own_is(const struct own *o)
{
	struct stat s;

	return o->fd >= 0 && fstat(o->fd, &s) == 0 && s.st_dev == o->device && s.st_ino == o->inode;
}

bool own_give(const struct own *o, int *fd)
{
	const int given = own_is(o) ? dup(o->fd) : -1;

	if (given >= 0)
		*fd = given;
	return given >= 0;
}
