/* The same texts as ptxas's machine code: conform --native SM:O writes them to files, has ptxas make cubins of them,
 * and runs these. A cubin is kept under the folder by what it was made of, so that it is made once. */
#include "test/conform/native.h"

#include "analyzer/base/sha256.h"
#include "analyzer/cubin/cubin.h"
#include "analyzer/sass/lift.h"
#include "passes/pass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
	const char *sm, *level, *folder;
	bool refused; /* the last text */
} native;

bool native_set(char *how, const char *folder)
{
	char *colon = strchr(how, ':');

	if (!colon)
		return false;
	*colon = 0;
	native.sm = how;
	native.level = colon + 1;
	native.folder = folder;
	return mkdir(folder, 0777) == 0 || access(folder, W_OK) == 0;
}

bool native_is_set(void) { return native.sm != NULL; }

unsigned native_sm(void) { return (unsigned)strtoul(native.sm, NULL, 10); }

bool native_refused(void) { return native.refused; }

/* With the target that is asked for. */
static char *retarget(struct arena *a, const char *ptx)
{
	const char *at = strstr(ptx, ".target "), *end = at ? at + strcspn(at, "\n") : NULL;

	return at ? arena_printf(a, "%.*s.target sm_%s%s", (int)(at - ptx), ptx, native.sm, end) : NULL;
}

static bool write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");
	bool ok = f && fputs(text, f) >= 0;

	return f && fclose(f) == 0 && ok;
}

struct module *native_module(const char *ptx, struct arena *a, struct diag *d, bool *refused)
{
	char hex[SHA256_HEX], *text = retarget(a, ptx), *cubin, *no, *source, *command;
	const char *ptxas = getenv("PTXAS");
	struct source src;
	struct sha256 sum;
	struct cubin *c;

	*refused = native.refused = false;
	if (!text)
		return NULL;
	sha256_begin(&sum);
	sha256_add(&sum, text, strlen(text));
	sha256_add(&sum, native.level, strlen(native.level));
	sha256_end(&sum, hex);
	cubin = arena_printf(a, "%s/%.24s.cubin", native.folder, hex);
	no = arena_printf(a, "%s/%.24s.no", native.folder, hex);
	source = arena_printf(a, "%s/%.24s.ptx", native.folder, hex);
	if (access(cubin, R_OK) != 0 && access(no, R_OK) != 0) {
		command = arena_printf(a, "%s -arch=sm_%s -O%s '%s' -o '%s' > /dev/null 2>&1 || touch '%s'",
				       ptxas ? ptxas : "ptxas", native.sm, native.level, source, cubin, no);
		if (!write_file(source, text) ||
		    system(command) != 0) /* NOLINT(cert-env33-c): a test, with names of its own */
			return NULL;
		unlink(source);
	}
	*refused = native.refused = access(cubin, R_OK) != 0;
	if (*refused || !source_read(&src, cubin, a, d))
		return NULL;
	c = cubin_read(&src, a, d);
	return c ? sass_lift(c, a, d) : NULL;
}
