/* A function of the carried runtime becomes a jump through a slot: a constant that is the slot's address, then a jump
 * to where the slot says. Both registers that the call may lose are those that a procedure linkage table uses. A slot
 * starts with static_bind, which asks for the function of regloom's runtime and keeps the registers in which the
 * caller may have put an argument: no function of the runtime takes a floating-point number by value. */
#include "runtime-model/cuda/static/static.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Slots begin {target, name, missing}. */
_Static_assert(offsetof(struct slot, target) == 0 && offsetof(struct slot, name) == 8 &&
		       offsetof(struct slot, missing) == 16,
	       "as below");
__asm__(".text\n"
	".hidden static_bind, static_missing, static_resolve\n"
	".globl static_bind, static_missing\n"
	".type static_bind, @function\n"
	"static_bind:\n"
	"	.cfi_startproc\n"
	"	pushq %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	movq %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	subq $64, %rsp\n"
	"	andq $-16, %rsp\n"
	"	movq %rdi, (%rsp)\n"
	"	movq %rsi, 8(%rsp)\n"
	"	movq %rdx, 16(%rsp)\n"
	"	movq %rcx, 24(%rsp)\n"
	"	movq %r8, 32(%rsp)\n"
	"	movq %r9, 40(%rsp)\n"
	"	movq %r11, 48(%rsp)\n"
	"	movq %r11, %rdi\n"
	"	call static_resolve\n"
	"	movq 48(%rsp), %r11\n"
	"	movq 40(%rsp), %r9\n"
	"	movq 32(%rsp), %r8\n"
	"	movq 24(%rsp), %rcx\n"
	"	movq 16(%rsp), %rdx\n"
	"	movq 8(%rsp), %rsi\n"
	"	movq (%rsp), %rdi\n"
	"	leave\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	jmp *(%r11)\n"
	"	.cfi_endproc\n"
	".size static_bind, .-static_bind\n"
	".type static_missing, @function\n"
	"static_missing:\n"
	"	movq 8(%r11), %rdi\n"
	"	jmp *16(%r11)\n"
	".size static_missing, .-static_missing\n");

/* movabs $SLOT, %r11; jmp *(%r11) */
enum { JUMP_BYTES = 13 };
static void write_jump(unsigned char *at, const struct slot *s)
{
	const uint64_t address = (uintptr_t)s;

	memcpy(at, "\x49\xbb", 2);
	memcpy(at + 2, &address, sizeof address);
	memcpy(at + 10, "\x41\xff\x23", 3);
}

static void cannot(const char *path, const char *why, const char *what)
{
	fprintf(stderr,
		"regloom: warning: %s carries NVIDIA's runtime inside, and %s%s: it does not run on the model\n", path,
		why, what);
}

/* One after the other, and the jumps to them. */
static void fill(struct slots *t, const struct symbols *s, uint64_t base, const char *path)
{
	char *text = (char *)&t->slot[t->n];
	struct slot *slot = t->slot;
	size_t place = 0;
	struct entry e;

	for (; symbols_next(s, &place, &e); slot++) {
		*slot = (struct slot){ static_bind, strcpy(text, e.name), NULL, s->version };
		text += strlen(e.name) + 1;
		if (e.room < JUMP_BYTES || e.at + JUMP_BYTES > s->end)
			cannot(path, "this function has no room for a jump: ", e.name);
		else
			write_jump((unsigned char *)(uintptr_t)(base + e.at), slot);
	}
}

struct slots *redirect(const struct symbols *s, uint64_t base, const char *path)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t low = (base + s->first) / page * page;
	const size_t code = (size_t)(base + s->last + JUMP_BYTES - low);
	const size_t bytes = sizeof(struct slots) + s->n * sizeof(struct slot) + s->name_bytes;
	struct slots *t;

	if (!s->version)
		return NULL;
	t = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (t == MAP_FAILED) {
		cannot(path, "there is no memory", "");
		return NULL;
	}
	t->bytes = bytes;
	t->n = s->n;
	if (mprotect((void *)(uintptr_t)low, code, PROT_READ | PROT_WRITE) != 0) {
		cannot(path, "the system does not let its code be changed", "");
		redirect_drop(t);
		return NULL;
	}
	fill(t, s, base, path);
	mprotect((void *)(uintptr_t)low, code, s->protection);
	return t;
}

void redirect_drop(struct slots *s)
{
	if (s)
		munmap(s, s->bytes);
}
