/* The range of addresses that belongs to the device, and what host code may do with it: nothing, but with managed and
 * pinned memory. */
#include "runtime-model/cuda/core/internal.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Addresses of the device begin at the first of these that is free, at DEVICE_START as a rule: programs run the same
 * each time, and as a launch file does. The others are for processes whose memory is laid out by a sanitizer, valgrind
 * or a limit. Their lower words are the same. */
static const uint64_t candidate[] = { DEVICE_START, (uint64_t)1 << 45, (uint64_t)1 << 38, (uint64_t)3 << 40,
				      (uint64_t)5 << 44 };

static bool reserve(struct process *p, uint64_t bytes)
{
	for (unsigned i = 0; i < sizeof candidate / sizeof *candidate; i++) {
		const uint64_t base = candidate[i] >> 32 << 32 | (uint32_t)DEVICE_START;
		void *want = (void *)(uintptr_t)base;
		void *got = mmap(want, bytes, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

		if (got == want) {
			p->base = base;
			p->bytes = bytes;
			return true;
		}
		if (got != MAP_FAILED)
			munmap(got, bytes);
	}
	return false;
}

bool host_reserve(struct process *p)
{
	/* Four times its memory: room between allocations, for what the host sees too, and for what was freed. Under a
	 * limit (ulimit -v) less. */
	const uint64_t least = (uint64_t)256 << 20;

	for (uint64_t bytes = (p->opt.number[CUDA_OPT_MEMORY] << 20) * 4; bytes >= least; bytes /= 2)
		if (reserve(p, bytes))
			return true;
	return diag_error_plain(
		&p->d, NULL,
		"not even 256 MiB of addresses are free in this process for the device (a limit of ulimit -v?)");
}

/* ---- who ---- */
static bool ours(const char *path)
{
	const char *name = path ? strrchr(path, '/') : NULL;

	name = name ? name + 1 : path;
	return name && (strncmp(name, "libregloom-cuda.so", 18) == 0 || strncmp(name, "libcudart.so", 12) == 0 ||
			strncmp(name, "libcuda.so", 10) == 0);
}

struct caller host_caller(void)
{
	struct caller c = { { NULL } };
	void *frame[16];
	int n = backtrace(frame, 16);
	unsigned kept = 0;
	Dl_info info;

	for (int i = 1; i < n && kept < CALLERS; i++)
		if (kept || (dladdr(frame[i], &info) && !ours(info.dli_fname)))
			c.frame[kept++] = frame[i];
	return c;
}

static bool is_wrapper(const char *name) { return strncmp(name, "cuda", 4) == 0 && name[4] >= 'A' && name[4] <= 'Z'; }

static bool is_header(const char *file)
{
	const char *name = file && strrchr(file, '/') ? strrchr(file, '/') + 1 : file;

	return name && (strcmp(name, "cuda_runtime.h") == 0 || strcmp(name, "cuda_runtime_api.h") == 0);
}

/* Of code of CUDA's headers that was inlined: the line that called it. NULL: none is known. */
static const char *inlined_into(Dwfl_Module *m, Dwarf_Addr at, int *line)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = dwfl_module_addrdie(m, at, &bias), *scope = NULL;
	const int n = unit ? dwarf_getscopes(unit, at - bias, &scope) : 0;
	const char *file = NULL;

	for (int i = 0; i < n && !file; i++) {
		Dwarf_Attribute attr;
		Dwarf_Word number, where;
		Dwarf_Files *files;

		if (dwarf_tag(&scope[i]) != DW_TAG_inlined_subroutine ||
		    dwarf_formudata(dwarf_attr(&scope[i], DW_AT_call_file, &attr), &number) != 0 ||
		    dwarf_formudata(dwarf_attr(&scope[i], DW_AT_call_line, &attr), &where) != 0 ||
		    dwarf_getsrcfiles(unit, &files, NULL) != 0)
			continue;
		file = dwarf_filesrc(files, number, NULL, NULL);
		*line = (int)where;
		if (is_header(file))
			file = NULL;
	}
	free(scope);
	return file;
}

/* Only what the program itself carries. */
static int no_debuginfo(Dwfl_Module *m, void **user, const char *name, Dwarf_Addr base, const char *file,
			const char *link, GElf_Word crc, char **out)
{
	(void)m;
	(void)user;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)crc;
	(void)out;
	return -1;
}

const char *host_symbol(const struct caller *by, struct arena *a)
{
	static const Dwfl_Callbacks ways = { .find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = no_debuginfo };
	const char *name = NULL, *file = NULL, *text = "?";
	Dwfl *d = by->frame[0] ? dwfl_begin(&ways) : NULL;
	Dl_info info;

	if (d && (dwfl_linux_proc_report(d, getpid()) != 0 || dwfl_report_end(d, NULL, NULL) != 0)) {
		dwfl_end(d);
		d = NULL;
	}
	for (unsigned i = 0; d && by->frame[i] && (!name || is_wrapper(name) || is_header(file)); i++) {
		const Dwarf_Addr at = (Dwarf_Addr)(uintptr_t)by->frame[i] - 1; /* of the call */
		Dwfl_Module *m = dwfl_addrmodule(d, at);
		Dwfl_Line *l = m ? dwfl_module_getsrc(m, at) : NULL;
		const char *symbol = m ? dwfl_module_addrname(m, at) : NULL;
		int line = 0;

		if (!symbol)
			break;
		name = kernel_name(symbol, a);
		file = l ? dwfl_lineinfo(l, NULL, &line, NULL, NULL, NULL) : NULL;
		if (is_header(file) && inlined_into(m, at, &line))
			file = inlined_into(m, at, &line);
		text = file ? arena_printf(a, "%s, %s:%d", name, file, line) : arena_printf(a, "%s", name);
	}
	if (!name && by->frame[0] && dladdr(by->frame[0], &info) && info.dli_fname)
		text = arena_printf(a, "%s+0x%llx",
				    strrchr(info.dli_fname, '/') ? strrchr(info.dli_fname, '/') + 1 : info.dli_fname,
				    (unsigned long long)((const char *)by->frame[0] - (const char *)info.dli_fbase));
	if (d)
		dwfl_end(d);
	return text;
}

/* ---- faults of host code ---- */
static struct sigaction before;

/* Text without the C library's help, which may be in the middle of anything. */
struct text {
	char s[512];
	size_t n;
};

static void put(struct text *t, const char *s)
{
	while (*s && t->n < sizeof t->s - 1)
		t->s[t->n++] = *s++;
}

static void put_hex(struct text *t, uint64_t v)
{
	char digit[20] = "0x";
	unsigned n = 2;

	for (int shift = 60; shift >= 0; shift -= 4)
		if (v >> shift || !shift)
			digit[n++] = "0123456789abcdef"[v >> shift & 15];
	digit[n] = 0;
	put(t, digit);
}

static void explain_touch(uint64_t at)
{
	const struct process *p = &process;
	struct text t = { .n = 0 };
	const struct allocation_row *r = NULL;

	for (uint32_t i = 0; i < p->nrow && !r; i++)
		if (at >= p->row[i].addr && at - p->row[i].addr < p->row[i].bytes)
			r = &p->row[i];
	put(&t, "regloom: error: host code touched device memory at ");
	put_hex(&t, at);
	if (r) {
		Dl_info info;
		unsigned i = 0;

		while (i < CALLERS && r->by.frame[i] && dladdr(r->by.frame[i], &info) && info.dli_sname &&
		       is_wrapper(info.dli_sname))
			i++;
		put(&t, ", ");
		put_hex(&t, at - r->addr);
		put(&t, " into an allocation of ");
		put_hex(&t, r->bytes);
		put(&t, " bytes");
		if (r->by.frame[i] && dladdr(r->by.frame[i], &info) && info.dli_sname) {
			put(&t, " by ");
			put(&t, info.dli_sname);
		}
		put(&t, "; cudaMemcpy copies it");
	} else {
		put(&t, ", where nothing is allocated");
	}
	put(&t, "\n");
	if (write(STDERR_FILENO, t.s, t.n) < 0)
		return;
}

/* Memory that the program registered is its own, and it may have taken it away. */
static void explain_registered(uint64_t at)
{
	const struct process *p = &process;
	struct text t = { .n = 0 };

	for (uint32_t i = 0; i < p->nrow; i++) {
		const struct allocation_row *r = &p->row[i];

		if (r->kind != CU_REGISTERED || at - (uint64_t)(uintptr_t)r->seen >= r->bytes)
			continue;
		put(&t, "regloom: error: memory that was registered (cudaHostRegister), at ");
		put_hex(&t, at);
		put(&t, ", cannot be touched: was it unmapped or freed before cudaHostUnregister?\n");
		if (write(STDERR_FILENO, t.s, t.n) < 0)
			return;
	}
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	uint64_t at = (uint64_t)(uintptr_t)info->si_addr;

	if (info->si_code > 0 && at >= process.base && at - process.base < process.bytes)
		explain_touch(at);
	else if (info->si_code > 0)
		explain_registered(at);
	if (before.sa_flags & SA_SIGINFO) {
		before.sa_sigaction(sig, info, context);
		return;
	}
	if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
		before.sa_handler(sig);
		return;
	}
	signal(sig, SIG_DFL); /* the access is made again, and ends the process */
	if (info->si_code <= 0)
		raise(sig);
}

void host_watch(void)
{
	struct sigaction s = { .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };

	s.sa_sigaction = on_fault;
	sigemptyset(&s.sa_mask);
	sigaction(SIGSEGV, &s, &before);
}

/* ---- other runtimes ---- */
struct mine {
	char folder[4096];
};

static bool preloaded(const char *name)
{
	const char *list = getenv("LD_PRELOAD");

	return list && strstr(list, name);
}

static int look(struct dl_phdr_info *info, size_t size, void *ctx)
{
	const struct mine *m = ctx;
	const char *slash = strrchr(info->dlpi_name, '/');

	(void)size;
	if (slash && (strncmp(slash, "/libcudart.so", 13) == 0 || strncmp(slash, "/libcuda.so", 11) == 0) &&
	    (strlen(m->folder) != (size_t)(slash - info->dlpi_name) ||
	     strncmp(info->dlpi_name, m->folder, strlen(m->folder)) != 0)) {
		char real[4096];
		const char *end = realpath(info->dlpi_name, real) ? strrchr(real, '/') : NULL;

		if (!end || strlen(m->folder) != (size_t)(end - real) ||
		    strncmp(real, m->folder, strlen(m->folder)) != 0)
			say("warning: %s was loaded, which is not regloom's: what uses it does not run on the model "
			    "(%s)",
			    info->dlpi_name,
			    preloaded(slash + 1) ? "LD_PRELOAD names it"
						 : "an RPATH of the program comes before LD_LIBRARY_PATH: patchelf "
						   "--remove-rpath, or link it with -Wl,--enable-new-dtags");
	}
	return 0;
}

static void check_libraries(void)
{
	char real[4096];
	struct mine m;
	Dl_info info;
	char *slash;

	if (!dladdr((const void *)(uintptr_t)check_libraries, &info) || !info.dli_fname ||
	    !realpath(info.dli_fname, real))
		return;
	snprintf(m.folder, sizeof m.folder, "%s", real);
	slash = strrchr(m.folder, '/');
	if (slash)
		*slash = 0;
	dl_iterate_phdr(look, &m);
}

void host_check_libraries(void)
{
	static pthread_once_t done = PTHREAD_ONCE_INIT;

	pthread_once(&done, check_libraries);
}
