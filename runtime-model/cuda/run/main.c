/* regloom-run: starts a CUDA program with regloom's libraries instead of NVIDIA's. Looks at the program first, since
 * one that carries its own runtime, or runs no CUDA, would silently go its own way. */
#include "runtime-model/cuda/core/options.h"

#include "analyzer/base/stack.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* the last two as of a shell */
enum { FINE, INPUT, USAGE, CANNOT_RUN = 126, NOT_FOUND = 127 };

static void error(const char *fmt, const char *what)
{
	fputs("regloom-run: error: ", stderr);
	fprintf(stderr, fmt, what);
	fputc('\n', stderr);
}

static void help(void)
{
	puts("usage: regloom-run [OPTIONS] PROGRAM [ARGUMENTS]\n\n"
	     "Runs a CUDA program, unchanged, with no GPU: its kernels, compiled from the PTX in it or machine code, "
	     "are "
	     "annotated and executed by regloom,\n"
	     "functionally alone, or timed under register files side by side. The program is one that nvcc made so:\n\n"
	     "  nvcc -arch=compute_80 app.cu -o app\n");
	cuda_options_help(stdout);
	puts("\nexamples:\n"
	     "  regloom-run ./app args\n"
	     "      what the program computes, and a table of its kernels\n"
	     "  regloom-run --explain ./app args\n"
	     "      which lines stall, and on what; registers of each kernel\n"
	     "  regloom-run --rf baseline --rf corf++ --report out.json ./app args\n"
	     "      each launch timed under two register files; a line of JSON for each\n"
	     "  regloom-run --rf baseline,regmutex --kernels 'sgemm|reduce' --launches 1-10 --sample 8 ./app args\n"
	     "      of the first ten launches those of some kernels, from samples of their CTAs; the rest is executed "
	     "alone\n"
	     "  regloom-run --machine corf --set sms=1 --config corf++,rf_banks=8,name=eight ./app args\n"
	     "      another machine; configurations as of sm-model compare\n\n"
	     "Faults of kernels (out of bounds, misaligned, freed memory, assert, deadlock) are said on standard error "
	     "with kernel, source line, thread\n"
	     "and address. exit status: the program's; 1 it cannot run on the model, or would end with 0 and came to a "
	     "limit; "
	     "2 wrong usage; 4 out of memory; 126, 127 it cannot be started, or is not there");
}

/* ---- the program ---- */
/* As execvp() would find it. */
static bool find_program(const char *name, char out[PATH_MAX])
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return snprintf(out, PATH_MAX, "%s", name) < PATH_MAX && access(out, F_OK) == 0;
	for (path = path && *path ? path : "/usr/bin:/bin";; path++) {
		size_t n = strcspn(path, ":");

		if (snprintf(out, PATH_MAX, "%.*s/%s", n ? (int)n : 1, n ? path : ".", name) < PATH_MAX &&
		    access(out, X_OK) == 0)
			return true;
		path += n;
		if (!*path)
			return false;
	}
}

struct facts {
	bool elf, archive, wide, runtime, driver, images, names, interpreted, pie;
	unsigned machine, type;
};

static void read_dynamic(Elf *elf, Elf_Scn *scn, const GElf_Shdr *h, struct facts *f)
{
	Elf_Data *data = elf_getdata(scn, NULL);

	for (size_t i = 0; data && h->sh_entsize && i < h->sh_size / h->sh_entsize && i < INT_MAX; i++) {
		const char *name;
		GElf_Dyn d;

		if (!gelf_getdyn(data, (int)i, &d))
			continue;
		f->pie |= d.d_tag == DT_FLAGS_1 && d.d_un.d_val & DF_1_PIE;
		if (d.d_tag != DT_NEEDED)
			continue;
		name = elf_strptr(elf, h->sh_link, d.d_un.d_val);
		f->runtime |= name && strncmp(name, "libcudart.so.", 13) == 0;
		f->driver |= name && strncmp(name, "libcuda.so.", 11) == 0;
	}
}

static void read_program(const char *path, struct facts *f)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t names, segments = 0;
	GElf_Ehdr h;
	GElf_Phdr ph;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	f->elf = elf && elf_kind(elf) == ELF_K_ELF;
	f->archive = elf && elf_kind(elf) == ELF_K_AR;
	f->wide = f->elf && gelf_getclass(elf) == ELFCLASS64;
	if (f->elf && gelf_getehdr(elf, &h)) {
		f->machine = h.e_machine;
		f->type = h.e_type;
	}
	if (f->elf && elf_getphdrnum(elf, &segments) == 0)
		for (size_t i = 0; i < segments && i < INT_MAX; i++)
			f->interpreted |= gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_INTERP;
	for (Elf_Scn *scn = NULL; f->elf && elf_getshdrstrndx(elf, &names) == 0 && (scn = elf_nextscn(elf, scn));) {
		const char *name;
		GElf_Shdr s;

		if (!gelf_getshdr(scn, &s))
			continue;
		name = elf_strptr(elf, names, s.sh_name);
		f->images |= name && (strcmp(name, ".nv_fatbin") == 0 || strcmp(name, "__nv_relfatbin") == 0);
		f->names |= s.sh_type == SHT_SYMTAB;
		if (s.sh_type == SHT_DYNAMIC)
			read_dynamic(elf, scn, &s, f);
	}
	if (elf)
		elf_end(elf);
	if (fd >= 0)
		close(fd);
}

static bool gets_rights(const char *path, const struct stat *st)
{
	return (st->st_mode & S_ISUID && st->st_uid != getuid()) ||
	       (st->st_mode & S_ISGID && st->st_mode & S_IXGRP && st->st_gid != getgid()) ||
	       (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0);
}

/* ---- a runtime that is linked in (../static) ---- */
#if defined __x86_64__
enum { CARRIED = 1 };
#else
enum { CARRIED = 0 };
#endif
/* It knows one C library in a process, and what replaces a runtime has its own. */
static bool under_valgrind(void)
{
	const char *list = getenv("LD_PRELOAD");

	return list && strstr(list, "/vgpreload_");
}

/* What keeps it from being replaced; NULL: nothing. */
static const char *not_replaced(const struct facts *f)
{
	if (!CARRIED)
		return "%s carries NVIDIA's runtime inside (static, nvcc's default): link it with nvcc -cudart shared";
	if (under_valgrind())
		return "%s carries NVIDIA's runtime inside (static, nvcc's default), which is not replaced under "
		       "valgrind: link it with nvcc -cudart shared";
	return f->names ? NULL
			: "%s carries NVIDIA's runtime inside (static, nvcc's default) and is stripped of the names by "
			  "which it is found: link it with nvcc -cudart shared, or do not strip it";
}

/* What is no ELF file (a script) is started as it is: what it starts may be a CUDA program. */
static int check_program(const char *path)
{
	struct facts f = { false }, self = { false };
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		error("%s is a folder", path);
		return CANNOT_RUN;
	}
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && !st.st_size) {
		error("%s is empty", path);
		return CANNOT_RUN;
	}
	if (gets_rights(path, &st)) {
		error("%s starts with the rights of another user or group (set-user-ID, capabilities), so the system "
		      "ignores LD_LIBRARY_PATH: run a copy without them",
		      path);
		return INPUT;
	}
	read_program(path, &f);
	read_program("/proc/self/exe", &self);
	if (f.machine == EM_CUDA) {
		error("%s is machine code of a GPU (a cubin), no program; sm-model executes it", path);
		return INPUT;
	}
	if (f.elf && !f.wide) {
		error("%s is a 32-bit program; CUDA has been 64-bit alone since 12.0", path);
		return INPUT;
	}
	if (f.elf && f.machine != self.machine) {
		error("%s is a program for another kind of processor", path);
		return INPUT;
	}
	if (f.archive || (f.elf && f.type == ET_REL)) {
		error(f.archive ? "%s is a library of object files (an archive), no program: link one with it, with "
				  "nvcc"
				: "%s is an object file, no program yet: link it with nvcc",
		      path);
		return CANNOT_RUN;
	}
	if (f.elf && f.type == ET_DYN && !f.interpreted && !f.pie) {
		error("%s is a shared library, no program: run the program that loads it", path);
		return CANNOT_RUN;
	}
	if (f.elf && f.images && !f.runtime && !f.driver && not_replaced(&f)) {
		error(not_replaced(&f), path);
		return INPUT;
	}
	return FINE;
}

/* ---- the libraries ---- */
/* Beside this program (in a build), or where `make install` puts them. */
static bool find_libraries(char out[PATH_MAX])
{
	static const char *const way[] = { "cuda", "../lib/regloom/cuda" };
	char self[PATH_MAX], try[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;

	if (n < 0)
		return false;
	self[n] = 0;
	slash = strrchr(self, '/');
	*slash = 0;
	for (unsigned i = 0; i < sizeof way / sizeof *way; i++) {
		snprintf(try, sizeof try, "%s/%s/libregloom-cuda.so", self, way[i]);
		if (access(try, R_OK) != 0)
			continue;
		*strrchr(try, '/') = 0;
		return realpath(try, out) != NULL;
	}
	return false;
}

/* Puts the libraries' folder, or a file in it, before what a list in the environment has. */
static bool put_first(const char *variable, const char *libraries, const char *file)
{
	const char *before = getenv(variable);
	char *list;
	bool ok;

	before = before && *before ? before : NULL;
	if (asprintf(&list, "%s%s%s%s", libraries, file, before ? ":" : "", before ? before : "") < 0)
		return false;
	ok = setenv(variable, list, 1) == 0;
	free(list);
	return ok;
}

static bool set_environment(const char *libraries, char **argv, int options)
{
	char *json = cuda_options_json(argv, options);
	char pid[32];
	bool ok;

	snprintf(pid, sizeof pid, "%ld", (long)getpid());
	ok = json && setenv(CUDA_ENVIRONMENT, json, 1) == 0 && put_first("LD_LIBRARY_PATH", libraries, "") &&
	     (!CARRIED || under_valgrind() || put_first("LD_AUDIT", libraries, "/libregloom-static.so")) &&
	     setenv(CUDA_FIRST_PROCESS, pid, 1) == 0;
	free(json);
	return ok;
}

/* ---- what is written ---- */
static bool refuse_file(const char *path, const char *why)
{
	fprintf(stderr, "regloom-run: error: %s: %s\n", path, why);
	return false;
}

/* May what `option` names be written? Only what is not there yet, is empty, is no file, or is what an earlier run has
 * written there: it begins so. */
static bool may_write(const char *option, const char *path, const char *begins, const struct stat *program)
{
	char text[64];
	struct stat st;
	ssize_t n;
	int fd;

	if (!path || strcmp(path, "-") == 0 || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return true;
	if (st.st_dev == program->st_dev && st.st_ino == program->st_ino)
		return refuse_file(path, "is the program itself, and is not written over");
	fd = st.st_size ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	n = fd < 0 ? 0 : pread(fd, text, sizeof text, 0);
	if (fd >= 0)
		close(fd);
	if (!st.st_size || (fd >= 0 && n >= (ssize_t)strlen(begins) && memcmp(text, begins, strlen(begins)) == 0))
		return true;
	fprintf(stderr, "regloom-run: error: --%s: %s is there, was not written by --%s, and is not written over\n",
		option, path, option);
	return false;
}

/* Empty before the program starts, so that each process of it appends to the same. */
static bool clear(const char *path)
{
	int fd = path && strcmp(path, "-") != 0 ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_TRUNC, 0666) : -1;

	if (path && strcmp(path, "-") != 0 && fd < 0)
		return refuse_file(path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return true;
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	if (!a || !b)
		return false;
	return strcmp(a, b) == 0 || (stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) &&
				     x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

static int prepare_files(const struct cuda_options *o, const char *program)
{
	const char *report = o->text[CUDA_OPT_REPORT], *summary = o->text[CUDA_OPT_SUMMARY];
	const char *records = o->text[CUDA_OPT_RECORDS];
	/* whatever is there is written over, as by sm-model */
	static const enum cuda_option over[] = { CUDA_OPT_SERIES, CUDA_OPT_TRACE, CUDA_OPT_PIPEVIEW, CUDA_OPT_HTML };
	struct stat st = { .st_dev = 0 };

	if (report && strcmp(report, "-") == 0) {
		error("%s", "--report wants a file; /dev/stdout is one, for lines among what the program prints");
		return USAGE;
	}
	if (records && (strcmp(records, "-") == 0 || same_file(records, report) || same_file(records, summary))) {
		error("%s", "--records wants a file of its own");
		return USAGE;
	}
	if (same_file(report, summary)) {
		error("--report and --summary are the same file, %s", report);
		return USAGE;
	}
	if (stat(program, &st) != 0 || !may_write("report", report, "{\"type\":\"", &st) ||
	    !may_write("summary", summary, "\nregloom  ", &st) || !may_write("records", records, "launch ", &st))
		return INPUT;
	for (unsigned i = 0; i < sizeof over / sizeof *over; i++)
		if (!may_write(cuda_option_name(over[i]), o->text[over[i]], "", &st))
			return INPUT;
	return clear(report) && clear(summary) && clear(records) ? FINE : INPUT;
}

static int start(const struct cuda_options *o, char **argv, int options, char **program)
{
	char path[PATH_MAX], libraries[PATH_MAX];
	int code;

	if (!find_program(*program, path)) {
		error("%s: there is no such program", *program);
		return NOT_FOUND;
	}
	code = check_program(path);
	if (code)
		return code;
	if (!find_libraries(libraries)) {
		error("%s is neither in cuda/ beside this program nor in ../lib/regloom/cuda", "libregloom-cuda.so");
		return INPUT;
	}
	if (strpbrk(libraries, ":;")) {
		error("the libraries are in %s, and LD_LIBRARY_PATH ends a folder's name at ':' and ';': "
		      "copy or move this installation, or build, to a folder without them",
		      libraries);
		return INPUT;
	}
	code = prepare_files(o, path);
	if (code)
		return code;
	if (!set_environment(libraries, argv, options)) {
		error("%s", "an option is no UTF-8 text, or there is no memory");
		return USAGE;
	}
	execvp(*program, program);
	fprintf(stderr, "regloom-run: error: %s: cannot be started: %s%s\n", *program, strerror(errno),
		errno == ENOENT ? " (the interpreter that it names, in #! or in its ELF header, is not there)" : "");
	return errno == ENOENT ? NOT_FOUND : CANNOT_RUN;
}

static int dispatch(int argc, char **argv)
{
	struct cuda_options o;
	struct arena a;
	struct diag d;
	int rest = 0, code = USAGE;

	arena_init(&a);
	diag_init(&d, stderr);
	d.program = "regloom-run";
	if (cuda_options_parse(&o, argc - 1, argv + 1, &rest, &a, &d)) {
		if (o.given[CUDA_OPT_HELP]) {
			help();
			code = FINE;
		} else if (o.given[CUDA_OPT_VERSION]) {
			puts("regloom-run (regloom) " REGLOOM_VERSION);
			code = FINE;
		} else if (rest >= argc - 1) {
			error("%s; see regloom-run --help", "which program?");
		} else {
			if (!o.given[CUDA_OPT_QUIET])
				cuda_options_note(&o, stderr, &a);
			code = start(&o, argv + 1, rest, argv + 1 + rest);
		}
	} else if (o.configs && o.configs->input) {
		code = INPUT;
	}
	if (code == FINE && (fflush(stdout) != 0 || ferror(stdout))) {
		error("%s", "cannot write to standard output");
		code = INPUT;
	}
	diag_free(&d);
	arena_free(&a);
	return code;
}

int main(int argc, char **argv) { return stack_main(dispatch, argc, argv); }
