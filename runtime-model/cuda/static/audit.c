/* What the dynamic linker calls (rtld-audit(7)). An object is redirected when it has been mapped, before it is
 * relocated and long before its constructors register their kernels. regloom's runtime is loaded into the program's
 * name space when an entry is first called: at the earliest by a constructor, when loading is allowed again. */
#include "runtime-model/cuda/static/static.h"

#include <dlfcn.h>
#include <link.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

/* Of this library, with the '/'; resolved, as others that are loaded may come by links. */
static const char *folder(void)
{
	static char path[PATH_MAX];
	char *slash;
	Dl_info info;

	if (!*path && dladdr((const void *)(uintptr_t)folder, &info) && info.dli_fname &&
	    realpath(info.dli_fname, path) && (slash = strrchr(path, '/')) != NULL)
		slash[1] = 0;
	return path;
}

static bool ours(const char *path)
{
	char real[PATH_MAX];
	const char *slash = realpath(path, real) ? strrchr(real, '/') : NULL;

	return slash && strncmp(real, folder(), (size_t)(slash + 1 - real)) == 0 && folder()[slash + 1 - real] == 0;
}

/* Loaded a second time it is the same, so no lock is held meanwhile: who loads something has another. */
static void *runtime(int version)
{
	static void *_Atomic loaded[14];
	char path[PATH_MAX + 32];
	void *handle = loaded[version];

	if (!handle) {
		snprintf(path, sizeof path, "%slibcudart.so.%d%s", folder(), version, version == 11 ? ".0" : "");
		handle = dlmopen(LM_ID_BASE, path, RTLD_NOW | RTLD_LOCAL);
		loaded[version] = handle;
	}
	if (!handle) {
		fprintf(stderr, "regloom: error: %s cannot be loaded: %s\n", path, dlerror());
		_Exit(1);
	}
	return handle;
}

void static_resolve(struct slot *s)
{
	void *handle = runtime(s->version);
	void *found = dlsym(handle, s->name);
	void (*target)(void) = found ? (void (*)(void))(uintptr_t)found : static_missing;

	if (!found)
		s->missing = (void (*)(void))(uintptr_t)dlsym(handle, "cudart_missing");
	__atomic_store_n(&s->target, target, __ATOMIC_RELEASE); /* others may be jumping through it */
}

/* 0: leave me out. Valgrind knows one C library in a process, and would take this one for the program's. */
PUBLIC unsigned la_version(unsigned version)
{
	const char *list = getenv("LD_PRELOAD");

	return list && strstr(list, "/vgpreload_") ? 0 : version;
}

PUBLIC unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
	const char *path = map->l_name && *map->l_name ? map->l_name : "/proc/self/exe";
	struct symbols s;

	*cookie = 0;
	if (space != LM_ID_BASE || ours(path))
		return 0;
	symbols_open(&s, path);
	*cookie = (uintptr_t)redirect(&s, map->l_addr, path);
	symbols_close(&s);
	return 0;
}

PUBLIC unsigned la_objclose(uintptr_t *cookie)
{
	redirect_drop((struct slots *)*cookie);
	*cookie = 0;
	return 0;
}
