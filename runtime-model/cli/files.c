/* Files that several commands read and write. */
#include "runtime-model/cli/command.h"
#include "analyzer/base/outfile.h"
#include "analyzer/elf/rlo.h"

#include <string.h>

struct module *object_read(const char *path, struct arena *a, struct diag *d)
{
	struct module *m = rlo_read(path, a, d);
	size_t n = strlen(path);

	if (!m && n > 4 && strcmp(path + n - 4, ".ptx") == 0)
		fprintf(stderr, "sm-model runs annotated objects; make one with: ptx-annotate %s -o %.*s.rlo\n", path, (int)n - 4, path);
	return m;
}

bool can_write(const char *path, struct arena *a, struct diag *d)
{
	struct outfile probe;

	if (strcmp(path, "-") != 0) {
		if (!outfile_open(&probe, path, a, d))
			return false;
		outfile_discard(&probe);
	}
	return true;
}
