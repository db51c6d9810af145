/* From images that a program registers, loads or links (a wrapper of nvcc, a fatbin, a cubin, PTX text) to the code in
 * them that is executed. */
#include "runtime-model/cuda/core/internal.h"

#include "analyzer/cubin/cubin.h"
#include "analyzer/fatbin/fatbin.h"
#include "analyzer/ptx/ptx.h"
#include "analyzer/sass/lift.h"
#include "analyzer/sass/values.h"

#include <string.h>

/* What __cudaRegisterFatBinary() is given; of nvcc -rdc=true (version 2) the linked code and the containers of all
 * modules, to a NULL. */
struct wrapper {
	uint32_t magic, version;
	const void *data;
	const void *const *more;
};
_Static_assert(sizeof(struct wrapper) == IMAGE_WRAPPER_BYTES, "the ABI's");

int image_magic(const void *image)
{
	int v;

	memcpy(&v, image, sizeof v);
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

static const char *device_sm(char text[8])
{
	snprintf(text, 8, "%u%.1s", process.opt.sm, &process.opt.suffix);
	return text;
}

/* ---- machine code ---- */
/* m->m, of the cubin m->code. */
static enum cu_status lift(struct cu_module *m)
{
	struct cubin *c = cubin_read(&m->code, &m->a, &process.d);

	m->native = true;
	m->ptx_sm = c ? c->ptx_sm : 0;
	m->m = c ? sass_lift_any(c, &m->a, &process.d) : NULL;
	return m->m ? CU_OK : image_bad(m, CU_INVALID_IMAGE);
}

static bool is_executed(const struct module *m)
{
	struct sass_refusal *list;
	bool all = true;
	struct arena a;

	arena_init(&a);
	for (uint32_t k = 0; k < m->nkernel && all; k++)
		all = !sass_refusals(&list, m->kernel[k], &a);
	arena_free(&a);
	return all;
}

/* A cubin that is no version of anything. */
static enum cu_status read_cubin(struct cu_module *m)
{
	struct fatbin_entry e = { .kind = FATBIN_CUBIN };
	const struct cubin *c;
	char sm[8];

	m->code = (struct source){ .name = m->name, .text = m->image, .len = cu_image_bytes(m->image, 0) };
	c = m->code.len ? cubin_read(&m->code, &m->a, &process.d) : NULL;
	if (!c)
		return m->code.len ? image_bad(m, CU_INVALID_IMAGE) : CU_INVALID_IMAGE;
	e.arch = c->sm;
	e.suffix = c->suffix;
	if (fatbin_runs_on(&e, device_sm(sm)))
		return lift(m);
	return bad(m, CU_NO_BINARY_FOR_GPU,
		   arena_printf(&m->a,
				"is machine code for %s, and the device is sm_%s: run it with regloom-run --sm %s",
				fatbin_arch_name(&e, &m->a), sm, fatbin_arch_name(&e, &m->a) + strlen("sm_")));
}

/* ---- versions ---- */
/* What else --sm could be so that e is taken. */
static bool is_for_some(const struct fatbin_entry *e, enum fatbin_code code)
{
	if (e->kind == FATBIN_PTX)
		return code != FATBIN_CODE_SASS;
	return e->kind == FATBIN_CUBIN && code != FATBIN_CODE_PTX && sass_sm_known(e->arch);
}

static const char *archs(const struct fatbin *f, enum fatbin_kind kind, struct arena *a)
{
	const char *list = "";

	for (uint32_t i = 0; i < f->n; i++)
		if (f->entry[i].kind == kind)
			list = arena_printf(a, "%s%s%s", list, *list ? ", " : "", fatbin_arch_name(&f->entry[i], a));
	return list;
}

/* None of the versions in a container is for the device, or as --code has it. */
static enum cu_status no_version(struct cu_module *m, const struct fatbin *f, enum fatbin_code code)
{
	const struct fatbin_entry *other = NULL;
	const char *ptx = archs(f, FATBIN_PTX, &m->a), *sass = archs(f, FATBIN_CUBIN, &m->a), *has, *advice,
		   *wants = "";
	const char *device = device_sm((char[8]){ 0 });

	for (uint32_t i = 0; i < f->n && !other; i++)
		if (is_for_some(&f->entry[i], code))
			other = &f->entry[i];
	if (*ptx && *sass)
		has = arena_printf(&m->a, "PTX for %s and machine code for %s", ptx, sass);
	else if (*ptx)
		has = arena_printf(&m->a, "PTX%s for %s", code == FATBIN_CODE_SASS ? " alone," : "", ptx);
	else
		has = *sass ? arena_printf(&m->a, "machine code alone, for %s", sass) : "no code";
	if (code == FATBIN_CODE_PTX && !*ptx)
		wants = " with PTX asked for (--code=ptx, or an option of its compiler)";
	else if (code == FATBIN_CODE_SASS && !*sass)
		wants = " with machine code asked for (--code=sass)";
	advice = other ? arena_printf(&m->a, "run it with regloom-run --sm %s, or ",
				      fatbin_arch_name(other, &m->a) + strlen("sm_"))
		       : "";
	return bad(m, CU_NO_BINARY_FOR_GPU,
		   arena_printf(&m->a, "has %s, and the device is sm_%s%s: %scompile it with nvcc %s", has, device,
				wants, advice,
				code == FATBIN_CODE_SASS ? arena_printf(&m->a, "-arch=sm_%s", device)
							 : "-arch=compute_80"));
}

/* The version of this kind that a driver would take. NO_BINARY_FOR_GPU: there is none, and nothing is said. */
static enum cu_status take(struct cu_module *m, const struct fatbin *f, enum fatbin_code code)
{
	struct process *p = &process;
	char sm[8];
	const struct fatbin_choice c = { .sm = device_sm(sm), .code = code };
	enum fatbin_kind kind = code == FATBIN_CODE_SASS ? FATBIN_CUBIN : FATBIN_PTX;
	bool any = false;

	for (uint32_t i = 0; i < f->n && !any; i++)
		any = f->entry[i].kind == kind && fatbin_runs_on(&f->entry[i], sm);
	if (!any)
		return CU_NO_BINARY_FOR_GPU;
	if (!fatbin_choose(&m->code, &kind, f, &c, &m->a, &p->d))
		return image_bad(m, CU_INVALID_IMAGE);
	return kind == FATBIN_CUBIN ? lift(m) : CU_OK;
}

static enum cu_status read_container(struct fatbin *f, struct cu_module *m, const void *data)
{
	struct source s = { .name = m->name, .text = data };
	uint64_t bytes;

	if (!data || image_magic(data) != IMAGE_CONTAINER)
		return bad(m, CU_INVALID_IMAGE, "what was registered is no fatbin");
	memcpy(&bytes, (const char *)data + 8, sizeof bytes);
	s.len = 16 + bytes;
	*f = (struct fatbin){ .name = m->name };
	if (!bytes)
		return CU_OK;
	return fatbin_read(f, &s, &m->a, &process.d) ? CU_OK : image_bad(m, CU_INVALID_IMAGE);
}

/* The PTX of all containers, to a NULL, as one text. */
static enum cu_status take_linked(struct cu_module *m, const void *const *container)
{
	struct source *ptx;
	const char *clash;
	unsigned n = 0, texts = 0;

	while (container[n])
		n++;
	ptx = new_array(&m->a, struct source, n + 1);
	for (unsigned i = 0; i < n; i++) {
		struct fatbin f;
		enum cu_status s = read_container(&f, m, container[i]);

		if (!s)
			s = take(m, &f, FATBIN_CODE_PTX);
		if (!s)
			ptx[texts++] = m->code;
		else if (s != CU_NO_BINARY_FOR_GPU) /* as the library of device functions is for GPUs that have it */
			return s;
	}
	if (!texts)
		return CU_NO_BINARY_FOR_GPU;
	m->code.text = link_modules(ptx, texts, &clash, &m->a);
	m->code.len = strlen(m->code.text);
	if (!clash)
		return CU_OK;
	return bad(m, CU_INVALID_PTX, arena_printf(&m->a, "several of its modules define %s", clash));
}

/* f: code as it is, linked where it was to be; linked: or NULL, the containers of which that is, for PTX. */
static enum cu_status choose(struct cu_module *m, const struct fatbin *f, const void *const *linked,
			     enum fatbin_code code)
{
	enum cu_status s = CU_NO_BINARY_FOR_GPU, ptx;
	struct cu_module native;

	if (code != FATBIN_CODE_PTX)
		s = take(m, f, FATBIN_CODE_SASS);
	if (code == FATBIN_CODE_SASS || (s && s != CU_NO_BINARY_FOR_GPU) || (!s && is_executed(m->m)))
		return s;
	native = *m;
	if (s && code != FATBIN_CODE_PTX)
		m->elsewhere = archs(f, FATBIN_CUBIN, &m->a);
	m->native = false;
	m->m = NULL;
	ptx = linked ? take_linked(m, linked) : take(m, f, FATBIN_CODE_PTX);
	if (s || ptx != CU_NO_BINARY_FOR_GPU)
		return ptx;
	m->code = native.code;
	m->native = true;
	m->m = native.m;
	return CU_OK;
}

static enum cu_status read_versions(struct cu_module *m, const void *data, const void *const *linked,
				    enum fatbin_code code)
{
	struct fatbin f = { .n = 0 };
	enum cu_status s = !data && linked ? CU_OK : read_container(&f, m, data);

	if (!s)
		s = choose(m, &f, linked, code);
	if (s != CU_NO_BINARY_FOR_GPU)
		return s;
	s = f.n || !linked || !*linked ? CU_OK : read_container(&f, m, *linked);
	return s ? s : no_version(m, &f, code);
}

static enum cu_status read(struct cu_module *m, enum fatbin_code code)
{
	struct wrapper w;

	switch (image_magic(m->image)) {
	case IMAGE_WRAPPER:
		memcpy(&w, m->image, sizeof w);
		return read_versions(m, w.data, w.version == 2 ? w.more : NULL, code);
	case IMAGE_CONTAINER:
		return read_versions(m, m->image, NULL, code);
	case IMAGE_ELF:
		return read_cubin(m);
	}
	m->code = (struct source){ .name = m->name, .text = m->image, .len = strlen(m->image) };
	return CU_OK;
}

enum cu_status image_read(struct cu_module *m) { return read(m, process.opt.code); }

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
		enum cu_status s = read(&part[i], FATBIN_CODE_PTX);

		if (!s && part[i].native)
			s = bad(&part[i], CU_NO_BINARY_FOR_GPU, "is machine code (a cubin), and PTX is what is linked");
		if (s)
			return s;
		ptx[i] = part[i].code;
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
