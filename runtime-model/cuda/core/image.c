/* From what a program registers, loads or links to PTX: nvcc's wrapper, a fatbin, PTX text. */
#include "runtime-model/cuda/core/internal.h"

#include "analyzer/fatbin/fatbin.h"
#include "analyzer/ptx/ptx.h"

#include <string.h>

#define WRAPPER_MAGIC 0x466243b1u
#define CONTAINER_MAGIC 0xba55ed50u

/* What __cudaRegisterFatBinary() is given. */
struct wrapper {
	uint32_t magic, version;
	const void *data;
	const void *more;
};

static uint32_t magic_of(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

enum cu_status image_bad(struct cu_module *m, enum cu_status s)
{
	const char *text = last_error();

	fputs(text, stderr);
	m->reason = arena_strndup(&m->a, text, strcspn(text, "\n"));
	return s;
}

static enum cu_status bad(struct cu_module *m, enum cu_status s, const char *reason)
{
	say("error: %s: %s", m->name, reason);
	m->reason = reason;
	return s;
}

static enum cu_status no_ptx(struct cu_module *m, const struct fatbin *f)
{
	const char *sass = "", *ptx = "", *reason;
	struct arena a;

	arena_init(&a);
	for (uint32_t i = 0; i < f->n; i++) {
		const struct fatbin_entry *e = &f->entry[i];
		const char **list = e->kind == FATBIN_PTX ? &ptx : &sass;

		if (e->kind == FATBIN_PTX || e->kind == FATBIN_CUBIN)
			*list = arena_printf(&a, "%s%s%s", *list, **list ? ", " : "", fatbin_arch_name(e, &a));
	}
	if (*ptx)
		reason = arena_printf(&m->a,
				      "has PTX for %s, and the device is sm_%u%.1s: run it with regloom-run --sm NN, "
				      "or compile it with nvcc -arch=compute_80",
				      ptx, process.opt.sm, &process.opt.suffix);
	else
		reason = arena_printf(
			&m->a,
			"has %s%s and no PTX, which is what runs on the model: compile it with nvcc -arch=compute_80 "
			"(or -gencode arch=compute_80,code=compute_80)",
			*sass ? "machine code alone, for " : "no code", sass);
	arena_free(&a);
	return bad(m, CU_NO_BINARY_FOR_GPU, reason);
}

/* part: of several; one without PTX for the device is none of ours to name. */
static enum cu_status read_fatbin(struct cu_module *m, const void *data, bool part)
{
	struct process *p = &process;
	struct source s = { .name = m->name, .text = data };
	char sm[8];
	struct fatbin_choice c = { .sm = sm, .code = FATBIN_CODE_PTX };
	enum fatbin_kind kind;
	struct fatbin f;
	uint64_t bytes;

	memcpy(&bytes, (const char *)data + 8, sizeof bytes);
	s.len = 16 + bytes;
	if (!fatbin_read(&f, &s, &m->a, &p->d))
		return image_bad(m, CU_INVALID_IMAGE);
	snprintf(sm, sizeof sm, "%u%.1s", p->opt.sm, &p->opt.suffix);
	if (fatbin_choose(&m->ptx, &kind, &f, &c, &m->a, &p->d))
		return CU_OK;
	if (strstr(p->d.last, "no PTX") || strstr(p->d.last, "no code") || strstr(p->d.last, "neither")) {
		last_error();
		return part ? CU_NO_BINARY_FOR_GPU : no_ptx(m, &f);
	}
	return image_bad(m, CU_INVALID_IMAGE);
}

/* Of nvcc -rdc=true: the containers of all modules, to a NULL. */
static enum cu_status read_linked(struct cu_module *m, const void *const *container)
{
	enum cu_status s = CU_OK;
	struct source *ptx;
	const char *clash;
	unsigned n = 0, texts = 0;

	while (container[n])
		n++;
	ptx = new_array(&m->a, struct source, n + 1);
	for (unsigned i = 0; i < n; i++) {
		s = magic_of(container[i]) == CONTAINER_MAGIC ? read_fatbin(m, container[i], true) : CU_INVALID_IMAGE;
		if (!s)
			ptx[texts++] = m->ptx;
		else if (s != CU_NO_BINARY_FOR_GPU) /* as the library of device functions is for GPUs that have it */
			return s;
	}
	if (!texts)
		return n ? read_fatbin(m, container[0], false) : CU_INVALID_IMAGE;
	m->ptx.text = link_modules(ptx, texts, &clash, &m->a);
	m->ptx.len = strlen(m->ptx.text);
	if (!clash)
		return CU_OK;
	return bad(m, CU_INVALID_PTX, arena_printf(&m->a, "several of its modules define %s", clash));
}

enum cu_status image_read(struct cu_module *m)
{
	const char *text = m->image;
	struct wrapper w;

	switch (magic_of(m->image)) {
	case WRAPPER_MAGIC:
		memcpy(&w, m->image, sizeof w);
		if (w.version == 2 && w.more)
			return read_linked(m, w.more);
		if (!w.data || magic_of(w.data) != CONTAINER_MAGIC)
			return bad(m, CU_INVALID_IMAGE, "what was registered is no fatbin");
		return read_fatbin(m, w.data, false);
	case CONTAINER_MAGIC:
		return read_fatbin(m, m->image, false);
	}
	if (memcmp(text, "\177ELF", 4) == 0)
		return bad(m, CU_NO_BINARY_FOR_GPU,
			   "is machine code (a cubin), and PTX is what runs on the model: compile it with nvcc -ptx, "
			   "or -arch=compute_80");
	m->ptx = (struct source){ .name = m->name, .text = text, .len = strlen(text) };
	return CU_OK;
}

/* ---- what a program links itself ---- */
static bool no_kernel(const char *symbol, const char *name) { return !symbol || !name; }

static bool is_ptx(const struct source *s)
{
	size_t at = 0;

	while (at < s->len && (strchr(" \t\r\n", s->text[at]) || strncmp(s->text + at, "//", 2) == 0))
		at += s->text[at] == '/' ? strcspn(s->text + at, "\n") : 1;
	return s->len - at > 8 && memcmp(s->text + at, ".version", 8) == 0;
}

static enum cu_status linked(char **text, struct cu_module *part, unsigned n, struct diag *d, struct arena *a)
{
	struct source *ptx = new_array(a, struct source, n), all = { .name = "linked" };
	const char *clash;

	for (unsigned i = 0; i < n; i++) {
		enum cu_status s = image_read(&part[i]);

		if (s)
			return s;
		ptx[i] = part[i].ptx;
		if (!is_ptx(&ptx[i])) {
			diag_error_plain(d, part[i].name, "is no PTX");
			return CU_INVALID_PTX;
		}
	}
	all.text = link_modules(ptx, n, &clash, a);
	all.len = strlen(all.text);
	if (clash) {
		diag_error_plain(d, all.name, "several modules define %s", clash);
		return CU_INVALID_PTX;
	}
	if (!ptx_parse_kernel(&all, "", no_kernel, a, d))
		return CU_INVALID_PTX;
	*text = strdup(all.text);
	return *text ? CU_OK : CU_OUT_OF_MEMORY;
}

enum cu_status cu_link(char **text, const struct cu_link_input in[], unsigned n, char *why, size_t room)
{
	enum cu_status s = enter();
	struct cu_module *part;
	struct diag d;
	struct arena a;

	if (s)
		return s;
	if (!text || !in || !n)
		return leave(CU_INVALID_VALUE);
	arena_init(&a);
	diag_init(&d, NULL);
	part = new_array(&a, struct cu_module, n);
	for (unsigned i = 0; i < n; i++) {
		part[i] = (struct cu_module){ .name = in[i].name, .image = in[i].image };
		arena_init(&part[i].a);
	}
	s = linked(text, part, n, &d, &a);
	if (d.errors)
		fputs(d.last, stderr);
	if (why && room)
		snprintf(why, room, "%s", d.errors ? d.last : "");
	for (unsigned i = 0; i < n; i++)
		arena_free(&part[i].a);
	diag_free(&d);
	arena_free(&a);
	return leave(s);
}
