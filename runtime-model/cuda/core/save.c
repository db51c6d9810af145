/* A launch as files, which sm-model repeats: the object with its kernel, the launch file, the memory before it, and
 * what the first configuration's L2 held (docs/SAVED.md). All that the device has is saved, each piece
 * at its address, since pointers may be anywhere. */
#include "runtime-model/cuda/core/internal.h"

#include "analyzer/base/outfile.h"
#include "analyzer/elf/rlo.h"
#include "analyzer/ir/texture.h"
#include "runtime-model/launch/launch.h"
#include "runtime-model/launch/zipped.h"
#include "runtime-model/memory/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char object_name[] = "kernel.rlo", native_name[] = "kernel.cubin", launch_name[] = "launch.yaml";
static const char memory_name[] = "memory.zst", l2_name[] = "l2.zst";

struct saving {
	const struct launch *x; /* of the annotated kernel */
	struct launch_file f;
	struct zipped_part *part; /* of memory.zst */
	uint32_t nbuffer, buffer_cap, npart, part_cap;
	const char *folder;
	struct arena a;
	struct diag d;
};

/* ---- memory ---- */
static bool all_zero(const unsigned char *p, uint64_t n) { return !*p && memcmp(p, p + 1, n - 1) == 0; }

static void add_buffer(struct saving *s, uint64_t addr, uint64_t bytes, const void *host, const char *variable)
{
	const bool zero = all_zero(host, bytes);

	arena_grow(&s->a, s->f.buffer, s->nbuffer, s->buffer_cap);
	s->f.buffer[s->nbuffer] = (struct buffer_spec){ .name = arena_printf(&s->a, "m%u", s->nbuffer),
							.type = TY_B8,
							.count = bytes,
							.fill = zero ? FILL_ZERO : FILL_MEMORY,
							.place = addr,
							.variable = variable };
	s->nbuffer++;
	if (zero)
		return;
	arena_grow(&s->a, s->part, s->npart, s->part_cap);
	s->part[s->npart++] = (struct zipped_part){ host, bytes };
}

/* The variables of the kernel's module; *constants: where its constants lie in global memory, or 0. */
static void add_variables(struct saving *s, uint64_t *constants)
{
	const struct module *m = s->x->m;

	*constants = 0;
	for (uint32_t i = 0; i < m->nsym; i++) {
		const void *bytes = device_variable_bytes(process.dev, m, i);
		uint64_t addr;

		if (!bytes || !m->sym[i].size)
			continue;
		addr = m->sym[i].space == SP_CONST ? device_constant_known(process.dev, m, i)
						   : device_variable(process.dev, m, i);
		if (m->sym[i].space == SP_CONST && addr)
			*constants = addr - m->sym[i].offset;
		add_buffer(s, addr, m->sym[i].size, bytes, m->sym[i].name);
	}
}

/* It is there as a variable, or for cooperative launches. */
static bool is_added(const struct saving *s, uint32_t variables, uint64_t constants, uint64_t addr)
{
	bool yes = addr == constants || addr == s->f.grid_barrier;

	for (uint32_t i = 0; i < variables; i++)
		yes |= s->f.buffer[i].place == addr;
	return yes;
}

static void add_memory(struct saving *s)
{
	const uint64_t most = (uint64_t)1 << 32; /* elements of a buffer */
	struct device_memory m = { .bytes = 0 };
	uint64_t constants;
	uint32_t variables;

	s->f.grid_barrier = device_grid_barrier(process.dev, 0);
	add_variables(s, &constants);
	variables = s->nbuffer;
	while (device_memory_from(process.dev, m.addr + m.bytes, &m))
		for (uint64_t at = 0; at < m.bytes && !is_added(s, variables, constants, m.addr); at += most)
			add_buffer(s, m.addr + at, m.bytes - at < most ? m.bytes - at : most, m.host + at, NULL);
	s->f.nbuffer = s->nbuffer;
}

/* ---- textures and surfaces ---- */
/* Not what has its texels in no buffer. */
static void add_resource(struct saving *s, const struct resource *r, uint64_t handle, unsigned n)
{
	struct resource_spec *x = &s->f.resource[s->f.nresource];
	unsigned b = 0;

	*x = (struct resource_spec){ .r = *r, .place = handle };
	x->r.name = arena_printf(&s->a, "r%u", n);
	if (r->reference == REFERENCE_SAMPLER)
		b = s->nbuffer; /* it has none */
	while (b < s->nbuffer && r->data - s->f.buffer[b].place >= s->f.buffer[b].count)
		b++;
	if (b < s->nbuffer) {
		x->buffer = b;
		x->offset = r->data - s->f.buffer[b].place;
	}
	s->f.nresource += b < s->nbuffer || r->reference == REFERENCE_SAMPLER;
}

static void add_resources(struct saving *s)
{
	struct resource r;
	uint64_t handle;
	uint32_t n = 0, count = 0;

	while (device_resource_next(process.dev, &n, &r, &handle))
		count++;
	s->f.resource = new_array(&s->a, struct resource_spec, count + 1u);
	for (n = 0; device_resource_next(process.dev, &n, &r, &handle);)
		add_resource(s, &r, handle, n);
}

/* ---- the launch ---- */
static uint64_t bytes_at(const unsigned char *p, unsigned n)
{
	uint64_t v = 0;

	memcpy(&v, p, n);
	return v;
}

static struct arg_spec value(uint64_t v, unsigned bytes)
{
	static const enum scalar_type of[] = { [1] = TY_B8, [2] = TY_B16, [4] = TY_B32, [8] = TY_B64 };

	return (struct arg_spec){ .buffer = -1, .type = of[bytes], .value = { .is_int = true, .mag = v } };
}

/* The whole of it, in pieces that C places without gaps. */
static struct arg_spec structure(const unsigned char *p, uint32_t bytes, struct arena *a)
{
	struct arg_spec x = { .buffer = -1, .type = TY_COUNT };
	unsigned each = 8;

	while (bytes % each)
		each /= 2;
	x.nfield = bytes / each;
	x.field = new_array(a, struct arg_spec, x.nfield + 1u);
	for (unsigned i = 0; i < x.nfield; i++)
		x.field[i] = value(bytes_at(p + (size_t)i * each, each), each);
	return x;
}

struct launch_spec launch_spec_of(const struct launch *x, struct arena *a)
{
	struct launch_spec l = { .kernel = x->k->name,
				 .shared_bytes = x->dynamic_shared,
				 .stack_bytes = x->stack_bytes,
				 .cooperative = x->cooperative,
				 .narg = x->k->nparam,
				 .arg = new_array(a, struct arg_spec, x->k->nparam + 1u) };

	if (l.stack_bytes == STACK_DEFAULT)
		l.stack_bytes = 0; /* which means that */
	memcpy(l.grid, x->grid, sizeof l.grid);
	memcpy(l.block, x->block, sizeof l.block);
	memcpy(l.cluster, x->cluster, sizeof l.cluster);
	for (uint32_t i = 0; i < x->k->nparam; i++) {
		const struct param *p = &x->k->param[i];
		const unsigned char *at = (const unsigned char *)x->params + p->offset;
		const bool whole = !p->array && (p->size == 1 || p->size == 2 || p->size == 4 || p->size == 8);

		l.arg[i] = whole ? value(bytes_at(at, p->size), p->size) : structure(at, p->size, a);
	}
	return l;
}

/* A number that is an address in a buffer is that. */
static void name_buffer(const struct saving *s, struct arg_spec *x)
{
	for (uint32_t i = 0; !x->nfield && x->type == TY_B64 && i < s->nbuffer; i++) {
		const struct buffer_spec *b = &s->f.buffer[i];

		if (!b->place || x->value.mag < b->place || x->value.mag - b->place > b->count)
			continue;
		*x = (struct arg_spec){ .buffer = (int32_t)i, .offset = x->value.mag - b->place };
		return;
	}
}

static void add_launch(struct saving *s, uint32_t code_before)
{
	struct launch_spec *l = s->f.launch = new(&s->a, struct launch_spec);

	*l = launch_spec_of(s->x, &s->a);
	l->code_before = code_before;
	for (uint32_t i = 0; i < l->narg; i++)
		name_buffer(s, &l->arg[i]);
	s->f.nlaunch = 1;
}

/* ---- files ---- */
static bool open_file(struct saving *s, struct outfile *o, const char *name)
{
	return outfile_open(o, arena_printf(&s->a, "%s/%s", s->folder, name), &s->a, &s->d);
}

static bool write_file(struct saving *s, const char *name, const void *bytes, size_t n)
{
	struct outfile o;

	if (!open_file(s, &o, name))
		return false;
	fwrite(bytes, 1, n, o.f);
	return outfile_commit(&o);
}

static bool write_zipped(struct saving *s, const char *name, const struct zipped_part *part, uint32_t n)
{
	struct outfile o;

	if (!open_file(s, &o, name))
		return false;
	if (zipped_write(o.f, part, n))
		return outfile_commit(&o);
	outfile_discard(&o);
	return diag_error_plain(&s->d, o.path, "cannot be written: %s", strerror(errno));
}

/* PTX as an object of its own, machine code as it is. */
static bool write_object(struct saving *s, const struct cu_module *m)
{
	struct kernel *k = (struct kernel *)s->x->k; /* an object is made of what may be changed */
	struct module part = *s->x->m;
	char *hex = arena_alloc(&s->a, SHA256_HEX, 1);
	void *bytes = (void *)m->code.text;
	size_t n = m->code.len;

	part.kernel = &k;
	part.nkernel = 1;
	if (!m->native && !rlo_encode(&part, &s->a, &bytes, &n, &s->d))
		return false;
	sha256_of(bytes, n, hex);
	s->f.object_sha256 = hex;
	return write_file(s, m->native ? native_name : object_name, bytes, n);
}

static bool write_l2(struct saving *s, const struct l2 *l2)
{
	uint32_t n;
	const struct l2_line *line = l2_lines(l2, &n, &s->a);
	unsigned char *bytes = arena_alloc(&s->a, (size_t)n * L2_LINE_BYTES + 1, 1);

	for (uint32_t i = 0; i < n; i++)
		l2_line_pack(&line[i], bytes + (size_t)i * L2_LINE_BYTES);
	s->f.l2 = l2_name;
	return write_zipped(s, l2_name, &(struct zipped_part){ bytes, (size_t)n * L2_LINE_BYTES }, 1);
}

/* The command that repeats it. */
static const char *command(struct saving *s, bool native)
{
	const struct config_list *l = process.opt.configs;
	const struct params *p = l->n ? l->config[0].params : process.opt.machine;
	const char *text = arena_printf(&s->a, "sm-model run %s --launch %s --machine %s",
					native ? native_name : object_name, launch_name, p->machine);

	for (const char *c = p->changes; *c; c += strspn(c, ", ")) {
		const size_t n = strcspn(c, ",");

		text = arena_printf(&s->a, "%s --set %.*s", text, (int)n, c);
		c += n;
	}
	return l->n ? arena_printf(&s->a, "%s --rf %s", text, rf_config_name(&l->config[0].rf, p, &s->a)) : text;
}

static bool write_launch(struct saving *s, const struct cu_function *f, uint64_t number)
{
	const char *head = arena_printf(&s->a, "# Launch %llu of %s, kernel %s; what repeats it:\n#   %s\n",
					(unsigned long long)number, program_invocation_short_name,
					kernel_name(f->name, &s->a), command(s, f->module->native));
	struct outfile o;

	if (!open_file(s, &o, launch_name))
		return false;
	if (launch_write(o.f, &s->f, head))
		return outfile_commit(&o);
	outfile_discard(&o);
	return diag_error_plain(&s->d, o.path, "cannot be written");
}

/* A folder of this launch's, new or of one that was saved there. */
static bool make_folder(struct saving *s, uint64_t number)
{
	const char *dir = process.opt.text[CUDA_OPT_SAVE];
	const char *process_name = is_first_process() ? "" : arena_printf(&s->a, "process-%d-", (int)getpid());

	s->folder = arena_printf(&s->a, "%s/%slaunch-%llu", dir, process_name, (unsigned long long)number);
	if (mkdir(dir, 0777) != 0 && errno != EEXIST)
		return diag_error_plain(&s->d, dir, "this folder cannot be made: %s", strerror(errno));
	if (mkdir(s->folder, 0777) == 0)
		return true;
	if (errno != EEXIST)
		return diag_error_plain(&s->d, s->folder, "this folder cannot be made: %s", strerror(errno));
	return access(arena_printf(&s->a, "%s/%s", s->folder, launch_name), F_OK) == 0 ||
	       diag_error_plain(&s->d, s->folder, "is there, and no launch was saved in it: it is left as it is");
}

/* Why a launch of k cannot be repeated; NULL: it can. */
static const char *not_repeatable(const struct kernel *k)
{
	struct texture t;

	if (kernel_uses_heap(k))
		return "its kernel calls malloc or free, or launches kernels: that heap is not saved";
	for (uint32_t i = 0; i < k->ninsn; i++)
		if (texture_of(k->insn[i].op, &t) && device_has_references(process.dev))
			return "its kernel uses textures or surfaces by variables of its module, which are not saved";
	return NULL;
}

static bool save(struct saving *s, const struct cu_function *f, uint64_t number)
{
	const struct l2 *l2 = timed_l2();
	const char *why = not_repeatable(s->x->k);

	if (why)
		return diag_error_plain(&s->d, NULL, "%s", why);
	if (!make_folder(s, number))
		return false;
	add_memory(s);
	add_resources(s);
	add_launch(s, timed_code_before(f));
	if (s->npart)
		s->f.memory = memory_name;
	return (!s->npart || write_zipped(s, memory_name, s->part, s->npart)) && (!l2 || write_l2(s, l2)) &&
	       write_object(s, f->module) && write_launch(s, f, number);
}

/* Without what a diagnostic begins with. */
static const char *reason(struct saving *s)
{
	const char *error = strstr(s->d.last, "error: "), *text = error ? error + strlen("error: ") : s->d.last;

	return arena_printf(&s->a, "%.*s%.*s", error ? (int)(error - s->d.last) : 0, s->d.last,
			    (int)strcspn(text, "\n"), text);
}

void launch_save(struct cu_function *f, const struct launch *of, uint64_t number)
{
	struct launch x = *of;
	struct saving s = { .x = &x };

	x.k = function_annotated(f, of)->k;
	arena_init(&s.a);
	diag_init(&s.d, NULL);
	if (!save(&s, f, number)) {
		say("error: launch %llu, of %s, is not saved: %s", (unsigned long long)number,
		    kernel_name(f->name, &s.a), reason(&s));
		process.report_lost = true;
	}
	diag_free(&s.d);
	arena_free(&s.a);
}
