/* What went wrong in a kernel, as a memory checker says it. */
#include "runtime-model/cuda/core/internal.h"

#include <string.h>

static const char *keep(const char *s, struct arena *a) { return s ? arena_strndup(a, s, strlen(s)) : ""; }

void measured_fault(void *ctx, const struct launch_fault *f)
{
	struct measured *m = ctx;

	m->fault = *f;
	m->fault.text = keep(f->text, m->a);
	m->fault.kernel = keep(f->kernel, m->a);
	m->fault.insn_text = keep(f->insn_text, m->a);
	m->fault.source = keep(f->source, m->a);
}

static const struct {
	enum cu_status status;
	const char *name, *what;
} kind[] = {
	[FAULT_NONE] = { CU_LAUNCH_OUT_OF_RESOURCES, "launch", "it could not be launched" },
	[FAULT_BOUNDS] = { CU_ILLEGAL_ADDRESS, "bounds", "access outside memory" },
	[FAULT_FREED] = { CU_ILLEGAL_ADDRESS, "freed", "access of memory that was freed" },
	[FAULT_UNMAPPED] = { CU_ILLEGAL_ADDRESS, "unmapped",
			     "access of reserved addresses where no memory is mapped (cuMemMap)" },
	[FAULT_ACCESS] = { CU_ILLEGAL_ADDRESS, "access", "access that was not allowed (cuMemSetAccess)" },
	[FAULT_HOST] = { CU_ILLEGAL_ADDRESS, "host", "access of host memory, which the device does not see" },
	[FAULT_MISALIGNED] = { CU_MISALIGNED_ADDRESS, "misaligned", "misaligned access" },
	[FAULT_SPACE] = { CU_INVALID_ADDRESS_SPACE, "space", "access of the wrong kind of memory" },
	[FAULT_STACK] = { CU_LAUNCH_FAILED, "stack",
			  "the stack is too small (cudaDeviceSetLimit, cudaLimitStackSize)" },
	[FAULT_CLUSTER] = { CU_LAUNCH_FAILED, "cluster",
			    "access of the shared memory of a block that the cluster has not, or that has ended" },
	[FAULT_RESOURCE] = { CU_LAUNCH_FAILED, "resource", "no such texture, surface or condition" },
	[FAULT_ASSERT] = { CU_ASSERT, "assert", "an assertion failed" },
	[FAULT_TRAP] = { CU_LAUNCH_FAILED, "trap", "trap" },
	[FAULT_HEAP] = { CU_LAUNCH_FAILED, "heap", "free of what malloc did not give" },
	[FAULT_ILLEGAL] = { CU_ILLEGAL_INSTRUCTION, "illegal", "what the instruction set does not allow" },
	[FAULT_DEADLOCK] = { CU_LAUNCH_TIMEOUT, "deadlock", "deadlock" },
	[FAULT_LIVELOCK] = { CU_LAUNCH_TIMEOUT, "livelock",
			     "livelock; what the host does next comes after the kernel" },
	[FAULT_LIMIT] = { CU_OUT_OF_MEMORY, "limit", "no memory" },
	[FAULT_TIMEOUT] = { CU_LAUNCH_TIMEOUT, "timeout", "it was stopped at a limit" },
};

const char *fault_name(enum fault_kind k) { return kind[k].name; }

/* below this an address is one of an element of what is not there */
enum { NULL_BYTES = 1 << 16 };

/* The allocation that is meant, and who made it; NULL: there is none. */
static const char *memory_of(const struct launch_fault *f, struct arena *a)
{
	const struct allocation_row *r =
		f->has_address && (f->space == SP_GLOBAL || f->space == SP_GENERIC) ? row_near(f->address) : NULL;
	const unsigned long long at = f->address;
	const char *where;
	uint64_t end;

	if (f->heap)
		return NULL; /* the kernels', of which the text says all */
	if (f->has_address && f->kind == FAULT_FREED) {
		const struct freed_row *gone = row_freed(f->address);
		const char *by = gone ? host_symbol(&gone->by, a) : NULL;

		return !gone ? NULL
			     : arena_printf(a,
					    "%llu bytes into %llu bytes of %s at 0x%llx, allocated by %s, freed by %s",
					    at - gone->addr, (unsigned long long)gone->bytes, memory_kind(gone->kind),
					    (unsigned long long)gone->addr, by, host_symbol(&gone->freed, a));
	}
	if (f->has_address && f->address < NULL_BYTES && f->kind == FAULT_BOUNDS &&
	    (f->space == SP_GLOBAL || f->space == SP_GENERIC))
		return f->address ? arena_printf(a, "%llu bytes behind a null pointer", at) : "a null pointer";
	if (!r || f->kind == FAULT_HOST)
		return NULL;
	end = r->addr + r->bytes;
	if (f->address >= r->addr && f->address < end)
		where = arena_printf(a, "%llu bytes into", at - r->addr);
	else
		where = arena_printf(a, "%llu bytes %s", f->address < r->addr ? r->addr - at : at - end,
				     f->address < r->addr ? "before" : "behind");
	return arena_printf(a, "%s %llu bytes of %s at 0x%llx, allocated by %s", where, (unsigned long long)r->bytes,
			    memory_kind(r->kind), (unsigned long long)r->addr, host_symbol(&r->by, a));
}

/* Of PTX that nobody wrote, in a fatbin, the line says little. */
static const char *place_of(const struct cu_module *m, const struct launch_fault *f, struct arena *a)
{
	const size_t n = m->code.name && m->code.name != m->name ? strlen(m->code.name) : 0;

	if (n && strncmp(f->source, m->code.name, n) == 0 && f->source[n] == ':')
		return arena_printf(a,
				    "%s of the PTX of %s, instruction %u; nvcc -lineinfo gives the line of the source",
				    f->source + n + 1, m->name, f->insn);
	return arena_printf(a, "%s%sinstruction %u", f->source, *f->source ? ", " : "", f->insn);
}

/* Without what is said of every launch anyway. */
static const char *text_of(const struct launch_fault *f, struct arena *a)
{
	const size_t prefix = strlen(kernel_name(f->kernel, a)) + strlen("kernel : ");
	const bool named =
		strncmp(f->text, "kernel ", 7) == 0 && strlen(f->text) > prefix && f->text[prefix - 2] == ':';

	return keep(named ? f->text + prefix : f->text, a);
}

static void print(const char *severity, const char *kernel, uint64_t number, const char *what)
{
	fflush(stdout);
	fprintf(stderr, "regloom: %s: kernel %s, launch %llu: %s\n", severity, kernel, (unsigned long long)number,
		what);
}

static void print_line(const char *name, const char *text)
{
	if (text && *text)
		fprintf(stderr, "  %-7s %s\n", name, text);
}

void finding_say(void *none, const struct finding *f)
{
	const struct process *p = &process;
	struct arena a;

	(void)none;
	arena_init(&a);
	print("warning", kernel_name(arena_printf(&a, "%s", p->launching->name), &a), p->launches,
	      f->kind == SANITIZE_OOB ? kind[f->at.kind].what : f->what);
	print_line("what", text_of(&f->at, &a));
	print_line("where", place_of(p->launching->module, &f->at, &a));
	print_line("memory", memory_of(&f->at, &a));
	arena_free(&a);
}

const struct failure *fault_say(const struct cu_function *f, uint64_t number, const struct measured *m)
{
	const struct launch_fault *at = &m->fault;
	const char *text = last_error();
	struct process *p = &process;
	struct failure *x = new(&p->a, struct failure);

	*x = (struct failure){ .launch = number,
			       .status = kind[at->kind].status,
			       .kind = at->kind,
			       .kernel = kernel_name(arena_printf(&p->a, "%s", f->name), &p->a),
			       .module = keep(f->module->name, &p->a),
			       .what = kind[at->kind].what,
			       .at = *at };
	x->symbol = keep(f->name, &p->a);
	x->text = at->kind ? text_of(at, &p->a) : arena_strndup(&p->a, text, strcspn(text, "\n"));
	x->where = at->kind && at->kind != FAULT_TIMEOUT ? place_of(f->module, at, &p->a) : "";
	x->memory = at->kind ? memory_of(at, &p->a) : NULL;
	if (!p->failure_end)
		p->failure_end = &p->failure;
	*p->failure_end = x;
	p->failure_end = &x->next;
	print("error", x->kernel, number, x->what);
	if (x->kind)
		print_line("what", x->text);
	else
		fputs(text, stderr);
	print_line("where", x->where);
	print_line("memory", x->memory);
	return x;
}
