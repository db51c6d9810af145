#include "outfile.h"
#include "hash.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

/* ---- temporary names ---- */
#define MARK ".regloom-"
enum { MARK_BYTES = sizeof MARK - 1, LETTERS = 6, TAIL_BYTES = MARK_BYTES + LETTERS };
enum { TRIES = 100, LINKS_MAX = 40, PROC_BYTES = 40 };
static const char letter[] = "abcdefghijklmnopqrstuvwxyz012345";
_Static_assert(sizeof letter - 1 == 32, "a letter is 5 bits");

/* A signal handler gets no argument: the temporary files of the process, for outfile_abandon(). One more than fit is
 * only not removed by it. */
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

/* A new one into o->temp, which has room for it. */
static void draw_name(struct outfile *o)
{
	const char *slash = strrchr(o->target, '/'), *base = slash ? slash + 1 : o->target;
	unsigned char random[LETTERS];
	const size_t n = strlen(base), room = NAME_MAX - TAIL_BYTES;
	char *end;

	if (getrandom(random, sizeof random, GRND_NONBLOCK) != sizeof random)
		for (unsigned i = 0; i < LETTERS; i++)
			random[i] = (unsigned char)(getpid() >> 5 * i);
	end = o->temp + sprintf(o->temp, "%.*s" MARK, (int)(base - o->target + (n < room ? n : room)), o->target);
	for (unsigned i = 0; i < LETTERS; i++)
		*end++ = letter[random[i] % 32];
	*end = 0;
}

/* ---- what killed writers have left ---- */
/* False: whoever removes what is left has seen the file before it was locked, and has removed it. */
static bool hold(int fd)
{
	struct stat st;

	while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
		; /* other failures: no locks here, and then nobody removes anything */
	return fstat(fd, &st) != 0 || st.st_nlink;
}

static bool is_temporary(const char *name)
{
	const size_t n = strlen(name);

	return n > TAIL_BYTES && memcmp(name + n - TAIL_BYTES, MARK, MARK_BYTES) == 0 &&
	       strspn(name + n - LETTERS, letter) == LETTERS;
}

/* A lock that can be had has no living holder; it is had through the file, which still must be what the name names. */
static void remove_left(int folder, const char *name)
{
	const int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd = openat(folder, name, O_RDWR | flags);
	struct stat st, now;

	if (fd < 0)
		fd = openat(folder, name, O_RDONLY | flags);
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
	    fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_ino == st.st_ino && now.st_dev == st.st_dev)
		unlinkat(folder, name, 0);
	close(fd);
}

void outfile_sweep(const char *folder)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (is_temporary(e->d_name))
			remove_left(dirfd(d), e->d_name);
	if (d)
		closedir(d);
}

/* Not for each file of a folder. */
static void sweep_once(const char *folder)
{
	static _Atomic uint64_t last;
	struct stat st;
	uint64_t this;

	if (stat(folder, &st) != 0)
		return;
	this = (uint64_t)st.st_ino * HASH_GOLDEN + (uint64_t)st.st_dev;
	if (atomic_exchange(&last, this) != this)
		outfile_sweep(folder);
}

/* ---- files ---- */
/* "/proc/self/fd/3": what has no name is linked by it. */
static const char *proc_name(char text[PROC_BYTES], int fd)
{
	snprintf(text, PROC_BYTES, "/proc/self/fd/%d", fd);
	return text;
}

/* Makes o->temp. */
static int open_named(struct outfile *o, mode_t mode)
{
	int fd = -1;

	for (unsigned i = 0; i < TRIES && fd < 0; i++) {
		draw_name(o);
		keep(o->temp); /* before there is such a file: a signal may come at any time */
		fd = open(o->temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (fd >= 0 && hold(fd))
			return fd;
		forget(o->temp); /* before it becomes another name */
		if (fd < 0 && errno != EEXIST)
			break;
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	*o->temp = 0;
	return -1;
}

static int open_unnamed(const char *folder, mode_t mode)
{
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
	char proc[PROC_BYTES];

	if (fd >= 0 && access(proc_name(proc, fd), F_OK) != 0) { /* there is no /proc to link it by */
		close(fd);
		fd = -1;
	}
	return fd;
}

int outfile_unnamed(const char *folder)
{
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char path[PATH_MAX];

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	if ((size_t)snprintf(path, sizeof path, "%s/regloom-XXXXXX", folder) >= sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

/* ---- what a path names ---- */
/* A descriptor of this process by name; -1: none. */
static int descriptor(const char *path)
{
	static const char *const folder[] = { "/dev/fd/", "/proc/self/fd/" };

	if (strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (unsigned i = 0; i < sizeof folder / sizeof *folder; i++) {
		const size_t n = strlen(folder[i]);

		if (strncmp(path, folder[i], n) == 0 && path[n] && strspn(path + n, "0123456789") == strlen(path + n))
			return (int)strtoul(path + n, NULL, 10);
	}
	return -1;
}

/* Where its links lead to, as far as that is no descriptor. */
static char *follow(char *path, struct arena *a)
{
	for (unsigned i = 0; i < LINKS_MAX && descriptor(path) < 0; i++) {
		const char *slash = strrchr(path, '/');
		char to[PATH_MAX];
		ssize_t n = readlink(path, to, sizeof to);

		if (n < 0 || n == sizeof to)
			break;
		if (*to == '/')
			slash = NULL;
		path = arena_printf(a, "%.*s%.*s", slash ? (int)(slash + 1 - path) : 0, path, (int)n, to);
	}
	return path;
}

static bool refuse(const struct outfile *o, int why)
{
	return diag_error_plain(o->d, o->path, "cannot write: %s", strerror(why));
}

static bool open_descriptor(struct outfile *o, int n)
{
	int fd = n == STDOUT_FILENO ? -1 : fcntl(n, F_DUPFD_CLOEXEC, 0);

	o->f = n == STDOUT_FILENO ? stdout : NULL;
	if (fd >= 0)
		o->f = fdopen(fd, "wb");
	return o->f || refuse(o, errno);
}

static bool open_whole(struct outfile *o, struct arena *a)
{
	const char *slash = strrchr(o->target, '/');
	const char *folder = slash ? arena_strndup(a, o->target, (size_t)(slash - o->target) + 1) : ".";
	const mode_t mode = o->replaces ? 0600 : 0666; /* of what is new, as the user's mask has it */
	int fd;

	o->temp = new_array(a, char, strlen(o->target) + TAIL_BYTES + 1);
	sweep_once(folder);
	fd = open_unnamed(folder, mode);
	if (fd >= 0)
		hold(fd);
	else if ((fd = open_named(o, mode)) < 0)
		return refuse(o, errno);
	o->whole = true;
	o->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	o->f = o->fd < 0 ? NULL : fdopen(fd, "wb");
	if (o->f)
		return true;
	refuse(o, errno);
	close(fd);
	outfile_discard(o);
	return false;
}

bool outfile_open(struct outfile *o, const char *path, struct arena *a, struct diag *d)
{
	int n;

	*o = (struct outfile){ .d = d, .path = arena_strndup(a, path, strlen(path)), .fd = -1 };
	if (strcmp(path, "-") == 0) {
		o->f = stdout;
		return true;
	}
	o->target = follow(o->path, a);
	n = descriptor(o->target);
	if (n >= 0)
		return open_descriptor(o, n);
	/* The system follows links as well, but not those of others in a folder that all may write. */
	o->replaces = stat(path, &o->was) == 0;
	if (!o->replaces && (errno != ENOENT || !*path))
		return refuse(o, errno);
	if (!o->replaces || S_ISREG(o->was.st_mode))
		return open_whole(o, a);
	if (S_ISDIR(o->was.st_mode))
		return diag_error_plain(d, path, "cannot write: is a directory");
	o->f = fopen(path, "wb");
	return o->f || refuse(o, errno);
}

/* ---- the end ---- */
static void close_last(struct outfile *o)
{
	if (o->temp && *o->temp) {
		unlink(o->temp);
		forget(o->temp);
		*o->temp = 0;
	}
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
}

void outfile_discard(struct outfile *o)
{
	if (o->f && o->f != stdout)
		fclose(o->f);
	o->f = NULL;
	close_last(o);
}

/* The bits that a write takes from a file are none of what it keeps. */
static void take_mode(const struct outfile *o)
{
	if (fchown(o->fd, o->was.st_uid, o->was.st_gid) != 0 && fchown(o->fd, (uid_t)-1, o->was.st_gid) != 0)
		errno = 0; /* only some may */
	fchmod(o->fd, o->was.st_mode & 0777);
}

/* A name for what has none so far: the target's if that is free, else a temporary one. */
static bool give_name(struct outfile *o)
{
	char proc[PROC_BYTES];

	proc_name(proc, o->fd);
	if (!o->replaces && linkat(AT_FDCWD, proc, AT_FDCWD, o->target, AT_SYMLINK_FOLLOW) == 0)
		return true;
	for (unsigned i = 0; i < TRIES; i++) {
		draw_name(o);
		keep(o->temp);
		if (linkat(AT_FDCWD, proc, AT_FDCWD, o->temp, AT_SYMLINK_FOLLOW) == 0)
			return true;
		forget(o->temp);
		if (errno != EEXIST)
			break;
	}
	*o->temp = 0;
	return false;
}

static bool put_in_place(struct outfile *o)
{
	if (o->replaces)
		take_mode(o);
	if (!*o->temp && !give_name(o))
		return false;
	if (*o->temp && rename(o->temp, o->target) != 0)
		return false;
	forget(o->temp);
	*o->temp = 0;
	return true;
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
	if (!bad && o->whole && !put_in_place(o)) {
		bad = true;
		why = errno;
	}
	close_last(o);
	return !bad || refuse(o, why);
}
