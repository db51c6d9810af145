/* Compiled kernels and variables of modules on disk, by the hash of what they are made of. An entry is written whole or
 * not at all and carries the hash of its contents; one that is damaged is thrown away. An entry says what it is of; one
 * of another user, or that others may write, is not used. Entries that were used longest ago go when the folder grows
 * beyond its bound. */
#include "runtime-model/cuda/core/internal.h"

#include "analyzer/base/outfile.h"
#include "analyzer/base/sha256.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char title[] = "regloom compiled kernel 3\n";

/* "regloom compiled kernel 3\n", hash of all that follows, "\n", key, bytes of the names, names, object. */
enum { TITLE = sizeof title - 1, KEY = SHA256_HEX - 1, HEAD = TITLE + SHA256_HEX, NAMES = HEAD + KEY };

/* The linker's number of this library (--build-id), which holds the compiler. */
struct build {
	const unsigned char *id;
	size_t n;
};

static int look(struct dl_phdr_info *info, size_t size, void *ctx)
{
	const uintptr_t here = (uintptr_t)title;
	struct build *b = ctx;
	bool ours = false;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		ours |= info->dlpi_phdr[i].p_type == PT_LOAD &&
			here - info->dlpi_addr - info->dlpi_phdr[i].p_vaddr < info->dlpi_phdr[i].p_memsz;
	for (unsigned i = 0; ours && i < info->dlpi_phnum; i++) {
		const unsigned char *at = (const unsigned char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
				    *end = at + info->dlpi_phdr[i].p_memsz;
		ElfW(Nhdr) h;

		for (; info->dlpi_phdr[i].p_type == PT_NOTE && at < end && (size_t)(end - at) > sizeof h;
		     at += sizeof h + (h.n_namesz + 3) / 4 * 4 + (h.n_descsz + 3) / 4 * 4) {
			memcpy(&h, at, sizeof h);
			if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && memcmp(at + sizeof h, "GNU", 4) == 0)
				*b = (struct build){ at + sizeof h + 4, h.n_descsz };
		}
	}
	return ours;
}

bool cache_compiler(struct sha256 *s)
{
	struct build b = { .n = 0 };

	dl_iterate_phdr(look, &b);
	sha256_add(s, b.id, b.n);
	return b.n != 0;
}

/* The folder, made if need be; false: there is none. */
static bool folder(char out[PATH_MAX])
{
	const struct cuda_options *o = &process.opt;
	const char *given = o->text[CUDA_OPT_CACHE], *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int n;

	if (o->given[CUDA_OPT_NO_CACHE])
		return false;
	n = -1;
	if (given)
		n = snprintf(out, PATH_MAX, "%s", given);
	else if (xdg && *xdg == '/')
		n = snprintf(out, PATH_MAX, "%s/regloom", xdg);
	else if (home && *home == '/')
		n = snprintf(out, PATH_MAX, "%s/.cache/regloom", home);
	if (n < 0 || n >= PATH_MAX - 128)
		return false;
	for (char *s = out + 1;; s++)
		if (*s == '/' || !*s) {
			const char was = *s;

			*s = 0;
			if (mkdir(out, 0700) != 0 && errno != EEXIST)
				return false;
			*s = was;
			if (!was)
				return true;
		}
}

static bool path_of(char out[PATH_MAX + 128], const char *name)
{
	char dir[PATH_MAX];

	return folder(dir) && snprintf(out, PATH_MAX + 128, "%s/%s", dir, name) > 0;
}

/* A file of ours, and nothing that pretends to be one. */
static bool is_ours(int fd, struct stat *st)
{
	return fstat(fd, st) == 0 && S_ISREG(st->st_mode) && st->st_uid == geteuid() &&
	       !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static bool read_all(const char *path, char **bytes, size_t *n, struct arena *a)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	size_t at = 0;

	if (fd < 0)
		return false;
	if (!is_ours(fd, &st) || st.st_size > INT32_MAX) {
		close(fd);
		return false;
	}
	*n = (size_t)st.st_size;
	*bytes = arena_alloc(a, *n + 1, 8);
	while (at < *n) {
		ssize_t got = read(fd, *bytes + at, *n - at);

		if (got <= 0)
			break;
		at += (size_t)got;
	}
	futimens(fd, NULL); /* used now */
	close(fd);
	return at == *n;
}

static void hash_of(const char *bytes, size_t n, char hex[SHA256_HEX])
{
	struct sha256 s;

	sha256_begin(&s);
	sha256_add(&s, bytes, n);
	sha256_end(&s, hex);
}

/* False: the entry is damaged, or another one's. */
static bool take_apart(struct object *o, const char *key, char *bytes, size_t n, struct arena *a)
{
	char hex[SHA256_HEX];
	uint32_t names;

	if (n < NAMES + sizeof names || memcmp(bytes, title, TITLE) != 0)
		return false;
	hash_of(bytes + HEAD, n - HEAD, hex);
	if (memcmp(bytes + TITLE, hex, KEY) != 0 || memcmp(bytes + HEAD, key, KEY) != 0)
		return false;
	memcpy(&names, bytes + NAMES, sizeof names);
	if (names > n - NAMES - sizeof names)
		return false;
	o->names = arena_strndup(a, bytes + NAMES + sizeof names, names);
	o->n = n - NAMES - sizeof names - names;
	o->bytes = arena_alloc(a, o->n + 1, 8);
	memcpy(o->bytes, bytes + NAMES + sizeof names + names, o->n);
	return true;
}

bool cache_get(struct object *o, const char *key, struct arena *a)
{
	char path[PATH_MAX + 128], *bytes;
	size_t n;

	if (!path_of(path, key) || !read_all(path, &bytes, &n, a))
		return false;
	if (take_apart(o, key, bytes, n, a))
		return true;
	unlink(path);
	return false;
}

int cache_lock(const char *key)
{
	char path[PATH_MAX + 128], name[16];
	struct stat st;
	int fd;

	snprintf(name, sizeof name, "lock-%.2s", key);
	if (!path_of(path, name))
		return -1;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd >= 0 && !is_ours(fd, &st)) {
		close(fd);
		return -1;
	}
	while (fd >= 0 && flock(fd, LOCK_EX) != 0)
		if (errno != EINTR) {
			close(fd);
			return -1;
		}
	return fd;
}

void cache_unlock(int lock)
{
	if (lock >= 0)
		close(lock);
}

/* ---- the bound ---- */
struct entry {
	char name[SHA256_HEX];
	struct timespec used;
	uint64_t bytes;
};

static int older(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;

	if (a->used.tv_sec != b->used.tv_sec)
		return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
	return a->used.tv_nsec < b->used.tv_nsec ? -1 : a->used.tv_nsec > b->used.tv_nsec;
}

static bool is_entry(const char *name)
{
	return strlen(name) == SHA256_HEX - 1 && strspn(name, "0123456789abcdef") == SHA256_HEX - 1;
}

static void shrink(const char *dir, const char *keep)
{
	struct entry *entry = NULL;
	uint32_t n = 0, cap = 0;
	const uint64_t bound_bytes = process.opt.number[CUDA_OPT_CACHE_MIB] << 20;
	uint64_t sum = 0;
	struct dirent *x;
	struct arena a;
	DIR *d = opendir(dir);

	if (!d)
		return;
	arena_init(&a);
	while ((x = readdir(d))) {
		struct stat st;

		if (!is_entry(x->d_name) || fstatat(dirfd(d), x->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		arena_grow(&a, entry, n, cap);
		memcpy(entry[n].name, x->d_name, SHA256_HEX);
		entry[n].used = st.st_mtim;
		entry[n++].bytes = (uint64_t)st.st_size;
		sum += (uint64_t)st.st_size;
	}
	if (sum > bound_bytes)
		qsort(entry, n, sizeof *entry, older);
	for (uint32_t i = 0; i < n && sum > bound_bytes; i++)
		if (strcmp(entry[i].name, keep) != 0 && unlinkat(dirfd(d), entry[i].name, 0) == 0)
			sum -= entry[i].bytes;
	arena_free(&a);
	closedir(d);
}

void cache_put(const struct object *o, const char *key)
{
	char dir[PATH_MAX], path[PATH_MAX + 128], hex[SHA256_HEX];
	uint32_t names = (uint32_t)strlen(o->names);
	struct outfile out;
	struct sha256 s;
	struct arena a;
	struct diag d;

	if (!folder(dir) || !path_of(path, key))
		return;
	sha256_begin(&s);
	sha256_add(&s, key, KEY);
	sha256_add(&s, &names, sizeof names);
	sha256_add(&s, o->names, names);
	sha256_add(&s, o->bytes, o->n);
	sha256_end(&s, hex);
	hex[SHA256_HEX - 1] = '\n';
	unlink(path); /* what is there was not taken: a link, a pipe, another's */
	arena_init(&a);
	diag_init(&d, NULL); /* a cache that cannot be written is none */
	if (outfile_open(&out, path, &a, &d)) {
		fchmod(fileno(out.f), 0600);
		fwrite(title, 1, TITLE, out.f);
		fwrite(hex, 1, SHA256_HEX, out.f);
		fwrite(key, 1, KEY, out.f);
		fwrite(&names, 1, sizeof names, out.f);
		fwrite(o->names, 1, names, out.f);
		fwrite(o->bytes, 1, o->n, out.f);
		if (outfile_commit(&out))
			shrink(dir, key);
	}
	diag_free(&d);
	arena_free(&a);
}
