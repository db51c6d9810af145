#include "outfile.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A signal handler gets no argument: the temporary files of the process, for outfile_abandon(). One more than fit is only not
 * removed by it. */
enum { KNOWN_MAX = 64 };
static _Atomic(const char *) known[KNOWN_MAX];

static void keep(const char *temp)
{
	for (unsigned i = 0; i < KNOWN_MAX; i++) {
		const char *none = NULL;

		if (atomic_compare_exchange_strong(&known[i], &none, temp))
			return;
	}
}

static void forget(const char *temp)
{
	for (unsigned i = 0; temp && i < KNOWN_MAX; i++) {
		const char *it = temp;

		if (atomic_compare_exchange_strong(&known[i], &it, NULL))
			return;
	}
}

void outfile_abandon(void)
{
	for (unsigned i = 0; i < KNOWN_MAX; i++) {
		const char *temp = atomic_load(&known[i]);

		if (temp)
			unlink(temp);
	}
}

bool outfile_open(struct outfile *o, const char *path, struct arena *a, struct diag *d)
{
	struct stat st;
	mode_t mask;
	int fd;

	*o = (struct outfile){ .d = d, .path = arena_strndup(a, path, strlen(path)) };
	if (strcmp(path, "-") == 0) {
		o->f = stdout;
		return true;
	}
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {     /* a device or a pipe: nothing to replace */
		o->f = S_ISDIR(st.st_mode) ? NULL : fopen(path, "wb");
		return o->f ? true : diag_error_plain(d, path, "cannot write: %s",
		                                      S_ISDIR(st.st_mode) ? "is a directory" : strerror(errno));
	}
	o->temp = arena_printf(a, "%s.XXXXXX", path);
	keep(o->temp);                  /* before there is such a file: a signal may come at any time */
	fd = mkstemp(o->temp);
	if (fd < 0) {
		forget(o->temp);
		return diag_error_plain(d, path, "cannot write: %s", strerror(errno));
	}
	mask = umask(0);
	umask(mask);
	fchmod(fd, 0666 & ~mask);
	o->f = fdopen(fd, "wb");
	return true;
}

void outfile_discard(struct outfile *o)
{
	if (!o->f)
		return;
	if (o->f != stdout)
		fclose(o->f);
	if (o->temp)
		unlink(o->temp);
	forget(o->temp);
	o->f = NULL;
}

bool outfile_commit(struct outfile *o)
{
	FILE *f = o->f;
	bool bad;
	int why;

	if (!f)
		return false;
	bad = fflush(f) != 0 || ferror(f);
	why = errno;
	o->f = NULL;
	if (f != stdout && fclose(f) != 0 && !bad) {
		bad = true;
		why = errno;
	}
	if (!bad && o->temp && rename(o->temp, o->path) != 0) {
		bad = true;
		why = errno;
	}
	if (bad && o->temp)
		unlink(o->temp);
	forget(o->temp);
	if (bad)
		return diag_error_plain(o->d, o->path, "cannot write: %s", strerror(why));
	return true;
}
