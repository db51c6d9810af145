#include "runtime-model/launch/path.h"

#include "analyzer/base/infile.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

char *path_resolve(const char *file, const char *launch_path, struct arena *a)
{
	const char *slash = strrchr(launch_path, '/');

	if (file[0] == '/' || !slash)
		return arena_strndup(a, file, strlen(file));
	return arena_printf(a, "%.*s/%s", (int)(slash - launch_path), launch_path, file);
}

const void *path_read_elements(const char *file, const char *launch_path, uint64_t count, unsigned bytes, struct loc at,
			       struct arena *a, struct diag *d)
{
	char *path = path_resolve(file, launch_path, a);
	uint64_t want = count * bytes;
	struct stat st;
	char *data;
	FILE *f;
	bool ok, other;

	f = infile_regular(path, &other);
	if (!f || fstat(fileno(f), &st) != 0) {
		int why = errno;

		if (f)
			fclose(f);
		if (other)
			diag_error(d, at, "%s is not a regular file", path);
		else
			diag_error(d, at, "cannot open %s: %s", path, strerror(why));
		return NULL;
	}
	if ((uint64_t)st.st_size != want) {
		fclose(f);
		diag_error(d, at, "%s holds %llu bytes; %llu elements of %u bytes take %llu", path,
			   (unsigned long long)st.st_size, (unsigned long long)count, bytes, (unsigned long long)want);
		return NULL;
	}
	data = new_array(a, char, want);
	ok = fread(data, 1, want, f) == want;
	fclose(f);
	if (!ok) {
		diag_error(d, at, "cannot read %s", path);
		return NULL;
	}
	return data;
}
