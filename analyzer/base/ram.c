#include "analyzer/base/ram.h"

#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __has_feature
#define SANITIZED __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* Bytes from which memory is mapped: pages that nobody writes cost nothing then, where calloc() may clear what it has
 * been given back. Sanitizers would not look for pointers there. */
#define MAPPED_FROM (SANITIZED ? SIZE_MAX : (size_t)1 << 20)

static struct {
	atomic_uint_fast64_t used, limit; /* bytes; limit 0: none */
	atomic_bool refused, by_limit;    /* something was not given; by the limit */
	atomic_bool out;
	void (*tidy)(void);
} ram;

void ram_limit(uint64_t bytes) { atomic_store(&ram.limit, bytes); }
uint64_t ram_limited(void) { return atomic_load(&ram.limit); }

bool ram_limit_mib(uint64_t mib)
{
	if (mib <= 1 << 30)
		ram_limit(mib << 20);
	return mib <= 1 << 30;
}

void ram_tidy(void (*tidy)(void)) { ram.tidy = tidy; }

/* ---- the machine's ---- */
/* The number that a file begins with, if it is less than n; it may say "max", or not be there. */
static uint64_t least(uint64_t n, const char *path)
{
	FILE *f = fopen(path, "re");
	uint64_t v;

	if (f && fscanf(f, "%" SCNu64, &v) == 1 && v < n)
		n = v;
	if (f)
		fclose(f);
	return n;
}

/* Of the group and of those that it is in. */
static uint64_t least_of_group(uint64_t n, const char *root, const char *controller, char *group, const char *file)
{
	char path[PATH_MAX];

	for (;;) {
		char *slash = strrchr(group, '/');

		if (snprintf(path, sizeof path, "%s%s%s/%s", root, controller, group, file) < (int)sizeof path)
			n = least(n, path);
		if (!slash)
			return n;
		*slash = 0;
	}
}

/* A line is NUMBER:CONTROLLERS:/GROUP, with no controllers in version 2. */
uint64_t ram_share_of(uint64_t machine, const char *groups, const char *root)
{
	FILE *f = fopen(groups, "re");
	char line[PATH_MAX], *colon, *group;

	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = 0;
		colon = strchr(line, ':');
		group = colon ? strchr(colon + 1, ':') : NULL;
		if (!group)
			continue;
		*group++ = 0;
		if (!colon[1])
			machine = least_of_group(machine, root, "", group, "memory.max");
		else if (strcmp(colon + 1, "memory") == 0)
			machine = least_of_group(machine, root, "/memory", group, "memory.limit_in_bytes");
	}
	if (f)
		fclose(f);
	return machine / 4 * 3;
}

uint64_t ram_share(void)
{
	const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);

	if (pages <= 0 || bytes <= 0)
		return 0;
	return ram_share_of((uint64_t)pages * (uint64_t)bytes, "/proc/self/cgroup", "/sys/fs/cgroup");
}

/* ---- what is taken ---- */
bool ram_count(uint64_t bytes)
{
	const uint64_t limit = atomic_load_explicit(&ram.limit, memory_order_relaxed);
	uint_fast64_t used = atomic_load_explicit(&ram.used, memory_order_relaxed);

	/* What is refused is never counted: it would take from what others may have. */
	while (!limit || (bytes <= limit && used <= limit - bytes))
		if (atomic_compare_exchange_weak_explicit(&ram.used, &used, used + bytes, memory_order_relaxed,
							  memory_order_relaxed))
			return true;
	atomic_store(&ram.by_limit, true);
	atomic_store(&ram.refused, true);
	return false;
}

void ram_uncount(uint64_t bytes) { atomic_fetch_sub_explicit(&ram.used, bytes, memory_order_relaxed); }

uint64_t ram_left(void)
{
	const uint64_t limit = atomic_load(&ram.limit), used = atomic_load(&ram.used);

	if (!limit)
		return UINT64_MAX;
	return used < limit ? limit - used : 0;
}

static void *zeroed(size_t bytes)
{
	void *p;

	if (bytes < MAPPED_FROM)
		return calloc(1, bytes);
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

void *ram_take(size_t bytes)
{
	void *p;

	if (!ram_count(bytes))
		return NULL;
	p = zeroed(bytes);
	if (p)
		return p;
	ram_uncount(bytes);
	atomic_store(&ram.by_limit, false);
	atomic_store(&ram.refused, true);
	return NULL;
}

void ram_give(void *p, size_t bytes)
{
	if (p)
		ram_uncount(bytes);
	if (!p || bytes < MAPPED_FROM)
		free(p);
	else
		munmap(p, bytes);
}

void *ram_malloc(size_t bytes)
{
	const size_t least = bytes ? bytes : 1;
	void *p = ram_left() < bytes ? NULL : malloc(least);

	if (p && ram_count(malloc_usable_size(p)))
		return p;
	free(p);
	atomic_store(&ram.by_limit, p || ram_left() < bytes);
	ram_out();
}

void ram_free(void *p)
{
	if (p)
		ram_uncount(malloc_usable_size(p));
	free(p);
}

/* ---- there is no more ---- */
const char *ram_why(char text[RAM_TEXT])
{
	if (atomic_load(&ram.by_limit))
		snprintf(text, RAM_TEXT,
			 "the limit of %" PRIu64 " MiB is reached; --max-memory MIB sets another, 0 none",
			 (uint64_t)atomic_load(&ram.limit) >> 20);
	else
		snprintf(text, RAM_TEXT,
			 "the system gives no more beside %" PRIu64 " MiB in use; its limits are those of ulimit "
			 "-v and -d, and its memory",
			 (uint64_t)atomic_load(&ram.used) >> 20);
	return text;
}

void ram_out(void)
{
	static _Thread_local bool first;
	char text[RAM_TEXT];

	if (!atomic_exchange(&ram.out, true)) {
		first = true;
		if (ram.tidy)
			ram.tidy();
		fprintf(stderr, "regloom: error: out of memory: %s\n", ram_why(text));
		exit(RAM_EXIT);
	}
	if (first) /* what exit() calls wants more */
		_exit(RAM_EXIT);
	for (;;) /* another thread is ending the process */
		pause();
}

bool ram_is_out(void) { return atomic_load(&ram.out); }

int ram_exit(int code) { return code == 1 && atomic_load(&ram.refused) ? RAM_EXIT : code; }
