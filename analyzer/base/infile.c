#include "infile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 1 << 16, STEP_MS = 50 };

static const struct {
	const char *what;
	unsigned mib;
} kinds[] = {
#define K(id, text, mib) [INFILE_##id] = { text, mib },
	INFILE_KINDS(K)
#undef K
};

/* written: somebody has it open for writing, or had */
struct infile {
	int fd;
	bool pipe, written;
	struct timespec since;
};

static int64_t waited_ms(const struct infile *f)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)(now.tv_sec - f->since.tv_sec) * 1000 + (now.tv_nsec - f->since.tv_nsec) / 1000000;
}

/* Linux says that a pipe has ended (POLLHUP) only if there was a writer since it was opened; without one, reading says
 * so at once, while with one that is silent it says EAGAIN. */
static ssize_t read_pipe(struct infile *f, void *to, size_t n, const char **why)
{
	clock_gettime(CLOCK_MONOTONIC, &f->since);
	for (;;) {
		struct pollfd p = { .fd = f->fd, .events = POLLIN };
		ssize_t got = read(f->fd, to, n);

		f->written |= got > 0;
		if (got > 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
			return got;
		f->written |= got < 0 && errno == EAGAIN;
		if (!got && (f->written || (poll(&p, 1, 0) > 0 && p.revents & POLLHUP)))
			return 0;
		if (waited_ms(f) >= 1000 * (f->written ? INFILE_SILENT_SECONDS : INFILE_WRITER_SECONDS)) {
			*why = f->written ? "a pipe from which nothing has come for 600 s"
					  : "a FIFO that nobody has opened for writing within 10 s";
			errno = ETIMEDOUT;
			return -1;
		}
		poll(&p, 1, STEP_MS);
	}
}
_Static_assert(INFILE_SILENT_SECONDS == 600 && INFILE_WRITER_SECONDS == 10, "the messages say so");

static ssize_t read_some(struct infile *f, void *to, size_t n, const char **why)
{
	ssize_t got;

	if (f->pipe)
		return read_pipe(f, to, n, why);
	do
		got = read(f->fd, to, n);
	while (got < 0 && errno == EINTR);
	return got;
}

/* Machine code comes in ELF files and fatbins, which of whole libraries are larger than any text. */
static enum infile_kind kind_of(enum infile_kind kind, const char *text, size_t len)
{
	bool code = len >= 4 && (memcmp(text, "\177ELF", 4) == 0 || memcmp(text, "\x50\xed\x55\xba", 4) == 0);

	return kind == INFILE_KERNEL && code ? INFILE_CODE : kind;
}

static bool too_large(struct diag *d, const char *name, enum infile_kind kind)
{
	return diag_error_plain(d, name, "is larger than %u MiB, the limit for %s", kinds[kind].mib, kinds[kind].what);
}

/* size: what a regular file says that it has; else 0. */
static bool read_all(struct source *s, enum infile_kind kind, struct infile *f, uint64_t size, struct arena *a,
		     struct diag *d)
{
	size_t cap = size && size < CHUNK ? (size_t)size + 1 : CHUNK, len = 0;
	char *text = new_array_raw(a, char, cap + 1);
	const char *why = NULL;
	ssize_t got;

	while ((got = read_some(f, text + len, cap - len, &why)) > 0) {
		uint64_t most, wider;
		char *copy;

		len += (size_t)got;
		kind = kind_of(kind, text, len);
		most = (uint64_t)kinds[kind].mib << 20;
		if (len > most || (len >= 4 && size > most))
			return too_large(d, s->name, kind);
		if (len < cap)
			continue;
		wider = len == CHUNK && size > cap ? size + 1 : 2 * (uint64_t)cap;
		wider = wider < most + 1 ? wider : most + 1;
		copy = arena_try_alloc(a, wider + 1, 1);
		if (!copy)
			return diag_error_plain(d, s->name, "this machine has no memory to read it");
		text = memcpy(copy, text, len);
		cap = wider;
	}
	if (got < 0)
		return why ? diag_error_plain(d, s->name, "is %s", why)
			   : diag_error_plain(d, s->name, "cannot read: %s", strerror(errno));
	text[len] = 0;
	s->text = text;
	s->len = len;
	return true;
}

bool infile_source(struct source *s, enum infile_kind kind, const char *path, struct arena *a, struct diag *d)
{
	bool is_stdin = strcmp(path, "-") == 0, ok;
	struct infile f = { .fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) };
	uint64_t size = 0;
	struct stat st;

	s->name = is_stdin ? "<stdin>" : arena_strndup(a, path, strlen(path));
	if (f.fd < 0)
		return diag_error_plain(d, s->name, "cannot open: %s", strerror(errno));
	if (fstat(f.fd, &st) == 0) {
		if (S_ISDIR(st.st_mode)) {
			if (!is_stdin)
				close(f.fd);
			return diag_error_plain(d, s->name, "is a directory");
		}
		f.pipe = S_ISFIFO(st.st_mode) && !is_stdin;
		size = S_ISREG(st.st_mode) && st.st_size > 0 ? (uint64_t)st.st_size : 0;
	}
	if (!is_stdin && !f.pipe)
		fcntl(f.fd, F_SETFL, O_RDONLY); /* of a terminal, say, waiting is what is wanted */
	ok = read_all(s, kind, &f, size, a, d);
	if (!is_stdin)
		close(f.fd);
	return ok;
}

bool source_read(struct source *s, const char *path, struct arena *a, struct diag *d)
{
	return infile_source(s, INFILE_KERNEL, path, a, d);
}

FILE *infile_regular(const char *path, bool *other)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), why;
	struct stat st;
	FILE *f;

	*other = false;
	if (fd >= 0 && fstat(fd, &st) == 0) {
		*other = !S_ISREG(st.st_mode);
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		f = *other ? NULL : fdopen(fd, "rb");
		if (f)
			return f;
	}
	why = errno;
	if (fd >= 0)
		close(fd);
	errno = why;
	return NULL;
}
