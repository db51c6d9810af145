/* Files that several commands read and write. */
#include "runtime-model/cli/command.h"
#include "analyzer/base/outfile.h"
#include "analyzer/cubin/cubin.h"
#include "analyzer/elf/rlo.h"
#include "analyzer/sass/lift.h"
#include "passes/pass.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The kernels of a cubin with all that an object of the same kernels would carry. */
static struct module *native_read(const struct options *args, const struct source *src, struct arena *a, struct diag *d)
{
	struct cubin *c = cubin_read(src, a, d);
	struct module *m = c ? sass_lift(c, a, d) : NULL;
	struct pass_ctx cx;
	bool ok = m != NULL;

	if (given(args, OPT_VARIANT)) {
		diag_error_plain(d, src->name, "is machine code, of which there is no variant that shares registers");
		return NULL;
	}
	pass_ctx_init(&cx, d);
	cx.opt.regmutex.size = REGMUTEX_OFF;
	/* what is executed alone needs nothing of it */
	for (uint32_t k = 0; ok && k < m->nkernel && (!given(args, OPT_FUNCTIONAL) || given(args, OPT_CHECKED)); k++)
		ok = pass_compile_for(m->kernel[k], FACT_ALL, false, &cx);
	pass_ctx_free(&cx);
	return ok ? m : NULL;
}

struct module *object_read(const struct options *args, struct arena *a, struct diag *d)
{
	const char *path = args->input[0];
	struct source src;
	struct module *m;
	size_t n = strlen(path);

	if (!source_read(&src, path, a, d))
		return NULL;
	m = cubin_is(src.text, src.len) ? native_read(args, &src, a, d)
					: rlo_read_memory(src.text, src.len, src.name, a, d);
	if (!m && n > 4 && strcmp(path + n - 4, ".ptx") == 0)
		fprintf(stderr, "sm-model runs annotated objects; make one with: ptx-annotate %s -o %.*s.rlo\n", path,
			(int)n - 4, path);
	if (m)
		m->sources = args->sources;
	return m;
}

bool can_write(const char *path, struct arena *a, struct diag *d)
{
	struct outfile probe;
	struct stat st;

	if (stat(path, &st) == 0 && S_ISFIFO(st.st_mode)) /* whoever reads it would see the end of it */
		return access(path, W_OK) == 0 || diag_error_plain(d, path, "cannot write: %s", strerror(errno));
	if (strcmp(path, "-") != 0) {
		if (!outfile_open(&probe, path, a, d))
			return false;
		outfile_discard(&probe);
	}
	return true;
}
