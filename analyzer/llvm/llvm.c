/* Starts regloom-llvm for one module. Both directions are files in memory, so there is no pipe to fill up and no signal
 * to catch, and what a crashed child has written is still there. */
#include "llvm.h"
#include "analyzer/base/signals.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "regloom-llvm"

bool llvm_is_bitcode(const struct source *ir)
{
	return ir->len >= 4 && (memcmp(ir->text, "BC\xc0\xde", 4) == 0 || memcmp(ir->text, "\xde\xc0\x17\x0b", 4) == 0);
}

/* ---- the program ---- */
/* PROGRAM in the build tree or as installed, seen from a file of ours in folder DIR. */
static char *look_from(const char *file, struct arena *a)
{
	static const char *const place[] = { "", "regloom/", "../lib/regloom/", "../regloom/" };
	const char *slash = strrchr(file, '/');

	for (size_t i = 0; slash && i < sizeof place / sizeof *place; i++) {
		char *path = arena_printf(a, "%.*s/%s" PROGRAM, (int)(slash - file), file, place[i]);

		if (access(path, X_OK) == 0)
			return path;
	}
	return NULL;
}

static char *find_program(struct arena *a)
{
	static const char anchor = 0;
	const char *named = getenv("REGLOOM_LLVM");
	char exe[4096], *path = NULL;
	Dl_info us;
	ssize_t n;

	if (named && *named)
		return arena_strndup(a, named, strlen(named));
	if (dladdr(&anchor, &us) && us.dli_fname && strstr(us.dli_fname, ".so"))
		path = look_from(us.dli_fname, a);
	n = path ? 0 : readlink("/proc/self/exe", exe, sizeof exe - 1);
	if (n > 0) {
		exe[n] = 0;
		path = look_from(exe, a);
	}
	return path ? path : look_from("/usr/local/lib/", a);
}

/* ---- running it ---- */
struct files {
	int in, out, err;
};

static int memory_file(const char *bytes, size_t n)
{
	int fd = memfd_create("regloom", MFD_CLOEXEC);
	size_t done = 0;

	while (fd >= 0 && done < n) {
		ssize_t w = write(fd, bytes + done, n - done);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0) {
			close(fd);
			return -1;
		}
		done += (size_t)w;
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

/* The exit status of waitpid(), or -1 with errno. */
static int run(const char *program, const struct llvm_options *o, const struct files *f)
{
	char level[2] = { (char)('0' + o->level), 0 }, version[] = REGLOOM_VERSION, sm[16] = "", name[] = PROGRAM;
	char *argv[] = { name, version, level, o->sm ? sm : NULL, NULL };
	posix_spawn_file_actions_t act;
	int status = 0, error;

	if (o->sm)
		snprintf(sm, sizeof sm, "%s", o->sm);
	error = posix_spawn_file_actions_init(&act);
	if (!error) {
		error = posix_spawn_file_actions_adddup2(&act, f->in, STDIN_FILENO);
		if (!error)
			error = posix_spawn_file_actions_adddup2(&act, f->out, STDOUT_FILENO);
		if (!error)
			error = posix_spawn_file_actions_adddup2(&act, f->err, STDERR_FILENO);
		if (!error)
			error = signals_spawn(program, argv, &act, &status);
		posix_spawn_file_actions_destroy(&act);
	}
	errno = error;
	return error ? -1 : status;
}

/* All of a file in memory, with a NUL behind it. */
static bool slurp(int fd, struct source *s, struct arena *a)
{
	struct stat st;
	size_t n = 0;
	char *text;

	if (fstat(fd, &st) != 0 || st.st_size > 1 << 30)
		return false;
	text = new_array(a, char, (size_t)st.st_size + 1);
	while (n < (size_t)st.st_size) {
		ssize_t r = pread(fd, text + n, (size_t)st.st_size - n, (off_t)n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return false;
		n += (size_t)r;
	}
	s->text = text;
	s->len = n;
	return true;
}

/* The byte at LINE and COLUMN, from 1. */
static struct loc place(const struct source *s, unsigned line, unsigned col)
{
	const char *p = s->text, *end = s->text + s->len, *eol;

	for (; line > 1 && (eol = memchr(p, '\n', (size_t)(end - p))); line--)
		p = eol + 1;
	if (col && (size_t)(end - p) >= col)
		p += col - 1;
	return (struct loc){ s, (uint32_t)(p - s->text) };
}

static bool report(const struct source *ir, const struct source *said, struct diag *d)
{
	unsigned line = 0, col = 0;
	const char *text = said->text;
	int n = 0, len;

	if (sscanf(text, "%u %u %n", &line, &col, &n) != 2 || !n)
		return diag_error_plain(d, ir->name, PROGRAM " failed and did not say why");
	text += n;
	len = (int)strcspn(text, "\n");
	return line && !llvm_is_bitcode(ir) ? diag_error(d, place(ir, line, col), "%.*s", len, text)
					    : diag_error_plain(d, ir->name, "%.*s", len, text);
}

static bool outcome(int status, const char *program, const struct source *ir, const struct source *said,
		    const struct source *printed, struct diag *d)
{
	int len = (int)strcspn(printed->text, "\n");

	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGXCPU
			       ? diag_error_plain(d, ir->name, "LLVM took more than 600 seconds for this module")
			       : diag_error_plain(d, ir->name,
						  "LLVM cannot read or compile this module: it crashed (%s)%s%.*s",
						  strsignal(WTERMSIG(status)), len && len < 400 ? ": " : "",
						  len < 400 ? len : 0, printed->text);
	switch (WEXITSTATUS(status)) {
	case 0:
		return true;
	case 1:
		return report(ir, said, d);
	case 127:
		return diag_error_plain(d, program, "cannot be started: a library that it needs is missing (libLLVM)");
	default:
		return diag_error_plain(d, program, "is of another version of regloom, or cannot write: %.*s", len,
					printed->text);
	}
}

bool llvm_to_ptx(struct source *ptx, const struct source *ir, const struct llvm_options *o, struct arena *a,
		 struct diag *d)
{
	char *program = find_program(a);
	struct source out = { .text = "" }, err = { .text = "" };
	struct files f;
	int status;
	bool ok;

	if (!program)
		return diag_error_plain(d, ir->name,
					"is LLVM IR, and this regloom was built without LLVM: the program " PROGRAM
					" is not there "
					"(make builds it where llvm-19-dev is installed; REGLOOM_LLVM names it)");
	f = (struct files){ memory_file(ir->text, ir->len), memory_file("", 0), memory_file("", 0) };
	if (f.in < 0 || f.out < 0 || f.err < 0)
		ok = diag_error_plain(d, ir->name, "no room for a copy in memory: %s", strerror(errno));
	else if ((status = run(program, o, &f)) < 0)
		ok = diag_error_plain(d, program, "cannot be started: %s", strerror(errno));
	else if (!slurp(f.out, &out, a) || !slurp(f.err, &err, a))
		ok = diag_error_plain(d, ir->name, "its PTX is larger than 1 GiB");
	else
		ok = outcome(status, program, ir, &out, &err, d);
	for (int i = 0, fd[] = { f.in, f.out, f.err }; i < 3; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	if (ok)
		*ptx = (struct source){ arena_printf(a, "%s (PTX)", ir->name), out.text, out.len };
	return ok;
}
