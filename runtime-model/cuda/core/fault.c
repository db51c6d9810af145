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

static const struct { enum cu_status status; const char *what; } kind[] = {
	[FAULT_NONE]       = { CU_LAUNCH_OUT_OF_RESOURCES, "it could not be launched" },
	[FAULT_BOUNDS]     = { CU_ILLEGAL_ADDRESS, "access outside memory" },
	[FAULT_FREED]      = { CU_ILLEGAL_ADDRESS, "access of memory that was freed" },
	[FAULT_HOST]       = { CU_ILLEGAL_ADDRESS, "access of host memory, which the device does not see" },
	[FAULT_MISALIGNED] = { CU_MISALIGNED_ADDRESS, "misaligned access" },
	[FAULT_SPACE]      = { CU_INVALID_ADDRESS_SPACE, "access of the wrong kind of memory" },
	[FAULT_STACK]      = { CU_LAUNCH_FAILED, "the stack is too small (cudaDeviceSetLimit, cudaLimitStackSize)" },
	[FAULT_RESOURCE]   = { CU_LAUNCH_FAILED, "no such texture or surface" },
	[FAULT_ASSERT]     = { CU_ASSERT, "an assertion failed" },
	[FAULT_TRAP]       = { CU_LAUNCH_FAILED, "trap" },
	[FAULT_HEAP]       = { CU_LAUNCH_FAILED, "free of what malloc did not give" },
	[FAULT_ILLEGAL]    = { CU_ILLEGAL_INSTRUCTION, "what the instruction set does not allow" },
	[FAULT_DEADLOCK]   = { CU_LAUNCH_TIMEOUT, "deadlock" },
	[FAULT_LIVELOCK]   = { CU_LAUNCH_TIMEOUT, "livelock" },
	[FAULT_LIMIT]      = { CU_OUT_OF_MEMORY, "no memory" },
};

/* The allocation that is meant, and who made it. */
static void say_memory(const struct launch_fault *f, struct arena *a)
{
	const struct allocation_row *r = f->has_address && (f->space == SP_GLOBAL || f->space == SP_GENERIC) ? row_near(f->address) : NULL;
	static const char *const name[] = { "device memory", "managed memory", "pinned memory", "registered memory", "an array" };
	const unsigned long long at = f->address;
	uint64_t end;

	if (!r || f->kind == FAULT_HOST || f->kind == FAULT_FREED)
		return;
	end = r->addr + r->bytes;
	if (f->address >= r->addr && f->address < end)
		fprintf(stderr, "  memory  %llu bytes into", at - r->addr);
	else
		fprintf(stderr, "  memory  %llu bytes %s", f->address < r->addr ? r->addr - at : at - end, f->address < r->addr ? "before" : "behind");
	fprintf(stderr, " %llu bytes of %s at 0x%llx, allocated by %s\n", (unsigned long long)r->bytes, name[r->kind], (unsigned long long)r->addr, host_symbol(&r->by, a));
}

/* Of PTX that nobody wrote, in a fatbin, the line says little. */
static void say_place(const struct cu_module *m, const struct launch_fault *f)
{
	const size_t n = m->ptx.name && m->ptx.name != m->name ? strlen(m->ptx.name) : 0;

	if (n && strncmp(f->source, m->ptx.name, n) == 0 && f->source[n] == ':')
		fprintf(stderr, "  where   %s of the PTX of %s, instruction %u; nvcc -lineinfo gives the line of the source\n", f->source + n + 1, m->name, f->insn);
	else
		fprintf(stderr, "  where   %s%sinstruction %u\n", f->source, *f->source ? ", " : "", f->insn);
}

enum cu_status fault_say(const struct cu_function *f, uint64_t number, const struct measured *m)
{
	const struct launch_fault *x = &m->fault;
	const char *text = last_error();
	struct arena a;

	arena_init(&a);
	fflush(stdout);
	fprintf(stderr, "regloom: error: kernel %s, launch %llu: %s\n", kernel_name(f->name, &a), (unsigned long long)number, kind[x->kind].what);
	if (x->kind) {
		const size_t prefix = strlen(x->kernel) + strlen("kernel : ");
		const bool named = strncmp(x->text, "kernel ", 7) == 0 && strlen(x->text) > prefix && x->text[prefix - 2] == ':';

		fprintf(stderr, "  what    %s\n", named ? x->text + prefix : x->text);
		say_place(f->module, x);
		say_memory(x, &a);
	} else {
		fputs(text, stderr);
	}
	arena_free(&a);
	return kind[x->kind].status;
}
