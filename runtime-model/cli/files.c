/* Files that several commands read and write. */
#include "runtime-model/cli/command.h"
#include "runtime-model/engine/mufu.h"
#include "runtime-model/run/run.h"
#include "analyzer/base/outfile.h"
#include "analyzer/cubin/cubin.h"
#include "analyzer/elf/rlo.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static struct module *native_read(const struct options *args, const struct source *src, const struct launch_file *f,
				  struct arena *a, struct diag *d)
{
	if (given(args, OPT_VARIANT)) {
		diag_error_plain(d, src->name, "is machine code, of which there is no variant that shares registers");
		return NULL;
	}
	/* what is executed alone needs nothing that passes find */
	return run_read_native(src, !given(args, OPT_FUNCTIONAL) || given(args, OPT_CHECKED), f, a, d);
}

/* What is asked for of a file that holds no choice would be ignored silently. */
static bool fits(const struct options *args, const struct source *src, struct diag *d)
{
	return !(given(args, OPT_CODE) || given(args, OPT_SM) || given(args, OPT_MODULE)) ||
	       diag_error_plain(d, src->name,
				"is no fatbin and no executable: --code, --sm and --module choose code in those");
}

/* A fatbin, or a host object or executable, becomes the cubin in it that holds the kernels of f. */
static bool choose(struct source *src, const struct options *args, const struct launch_file *f, struct arena *a,
		   struct diag *d)
{
	enum fatbin_kind kind;
	struct fatbin_choice c;
	struct fatbin x;
	const char *also;

	if (cubin_is(src->text, src->len) || (!fatbin_is(src) && !fatbin_is_elf(src)))
		return fits(args, src, d);
	options_choice(args, &c);
	c.kernel = f->launch[0].kernel;
	if (!fatbin_read(&x, src, a, d) || !fatbin_choose(src, &kind, &x, &c, a, d))
		return false;
	if (kind == FATBIN_CUBIN)
		return true;
	also = fatbin_also(&x, kind, &c, a);
	return diag_error_plain(d, x.name, "holds PTX: ptx-annotate makes an object of it, which is executed here%s%s",
				also ? "; there is also " : "", also ? also : "");
}

struct module *object_read(const struct options *args, struct launch_file *f, struct arena *a, struct diag *d)
{
	const char *path = args->input[0];
	struct source src;
	struct module *m;
	size_t n = strlen(path);

	if (!source_read(&src, path, a, d) || !choose(&src, args, f, a, d) ||
	    !launch_object_fits(f, src.text, src.len, path, d))
		return NULL;
	m = cubin_is(src.text, src.len) ? native_read(args, &src, f, a, d)
					: rlo_read_memory(src.text, src.len, src.name, a, d);
	if (!m && n > 4 && strcmp(path + n - 4, ".ptx") == 0)
		fprintf(stderr, "sm-model runs annotated objects; make one with: ptx-annotate %s -o %.*s.rlo\n", path,
			(int)n - 4, path);
	if (m)
		m->sources = args->sources;
	if (m && given(args, OPT_MUFU) && !(f->mufu = mufu_read(value_of(args, OPT_MUFU), a, d)))
		return NULL;
	return m && launch_name_kernels(f, m, d) ? m : NULL;
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
