/* Register-file configurations: --rf text to one value on each axis and back. The lists of the axes and presets.def are
 * the only places that know a technique by name. */
#include "runtime-model/config/rf_config.h"
#include "runtime-model/core/axis.h"
#include "runtime-model/core/probe.h"
#include "analyzer/base/near.h"
#include "analyzer/elf/rlo.h"

#include <inttypes.h>
#include <string.h>

#define ISSUE(id, name) extern const struct issue_ops id##_issue;
#include "runtime-model/issue/list.def"
#undef ISSUE
#define RESIDENCY(id, name) extern const struct residency_ops id##_residency;
#include "runtime-model/residency/list.def"
#undef RESIDENCY
#define PACKING(id, name) extern const struct packing_ops id##_packing;
#include "runtime-model/packing/list.def"
#undef PACKING
#define HIERARCHY(id, name) extern const struct hierarchy_ops id##_hierarchy;
#include "runtime-model/hierarchy/list.def"
#undef HIERARCHY
#define VALUES(id, name) extern const struct values_ops id##_values;
#include "runtime-model/values/list.def"
#undef VALUES
#define REUSE(id, name) extern const struct reuse_ops id##_reuse;
#include "runtime-model/reuse/list.def"
#undef REUSE

/* A value of an axis without its functions; ops points to its struct. */
struct axis_value {
	const char *name;
	const void *ops;
};

static const struct axis_value issue_value[] = {
#define ISSUE(id, name) { name, &id##_issue },
#include "runtime-model/issue/list.def"
#undef ISSUE
	{ NULL, NULL }
};
static const struct axis_value residency_value[] = {
#define RESIDENCY(id, name) { name, &id##_residency },
#include "runtime-model/residency/list.def"
#undef RESIDENCY
	{ NULL, NULL }
};
static const struct axis_value packing_value[] = {
#define PACKING(id, name) { name, &id##_packing },
#include "runtime-model/packing/list.def"
#undef PACKING
	{ NULL, NULL }
};
static const struct axis_value hierarchy_value[] = {
#define HIERARCHY(id, name) { name, &id##_hierarchy },
#include "runtime-model/hierarchy/list.def"
#undef HIERARCHY
	{ NULL, NULL }
};
static const struct axis_value values_value[] = {
#define VALUES(id, name) { name, &id##_values },
#include "runtime-model/values/list.def"
#undef VALUES
	{ NULL, NULL }
};
static const struct axis_value reuse_value[] = {
#define REUSE(id, name) { name, &id##_reuse },
#include "runtime-model/reuse/list.def"
#undef REUSE
	{ NULL, NULL }
};
static const struct axis_value *const axis_values[AXES] = {
	issue_value, residency_value, packing_value, hierarchy_value, values_value, reuse_value,
};

static const struct preset {
	const char *name, *value[AXES], *what;
} preset[] = {
#define PRESET(name, issue, residency, packing, hierarchy, values, reuse, what) \
	{ name, { issue, residency, packing, hierarchy, values, reuse }, what },
#include "runtime-model/config/presets.def"
#undef PRESET
};
enum { PRESETS = sizeof preset / sizeof *preset };

/* What each value says of itself, by axis. */
struct needs {
	const char *name, *source;
	unsigned anno, record;
	const char *const *parameters;
};

static struct needs needs(const struct rf_config *c, enum axis x)
{
	switch (x) {
	case AXIS_ISSUE:
		return (struct needs){ c->issue->name, c->issue->source, c->issue->needs_anno, c->issue->needs_record,
				       c->issue->parameters };
	case AXIS_RESIDENCY:
		return (struct needs){ c->residency->name, c->residency->source, c->residency->needs_anno,
				       c->residency->needs_record, c->residency->parameters };
	case AXIS_PACKING:
		return (struct needs){ c->packing->name, c->packing->source, c->packing->needs_anno,
				       c->packing->needs_record, c->packing->parameters };
	case AXIS_HIERARCHY:
		return (struct needs){ c->hierarchy->name, c->hierarchy->source, c->hierarchy->needs_anno,
				       c->hierarchy->needs_record, c->hierarchy->parameters };
	case AXIS_VALUES:
		return (struct needs){ c->values->name, c->values->source, c->values->needs_anno,
				       c->values->needs_record, c->values->parameters };
	case AXIS_REUSE:
		return (struct needs){ c->reuse->name, c->reuse->source, c->reuse->needs_anno, c->reuse->needs_record,
				       c->reuse->parameters };
	case AXES:
		break;
	}
	return (struct needs){ NULL, NULL, 0, 0, NULL };
}

static void assign(struct rf_config *c, enum axis x, const void *ops)
{
	switch (x) {
	case AXIS_ISSUE:
		c->issue = ops;
		break;
	case AXIS_RESIDENCY:
		c->residency = ops;
		break;
	case AXIS_PACKING:
		c->packing = ops;
		break;
	case AXIS_HIERARCHY:
		c->hierarchy = ops;
		break;
	case AXIS_VALUES:
		c->values = ops;
		break;
	case AXIS_REUSE:
		c->reuse = ops;
		break;
	case AXES:
		break;
	}
}

static struct needs needs_of(enum axis x, const struct axis_value *v)
{
	struct rf_config c;

	assign(&c, x, v->ops);
	return needs(&c, x);
}

static const void *find(enum axis x, const char *name, size_t n)
{
	for (const struct axis_value *v = axis_values[x]; v->name; v++)
		if (strlen(v->name) == n && memcmp(v->name, name, n) == 0)
			return v->ops;
	return NULL;
}

/* The name of a preset's value on axis x. */
static const char *preset_value(const struct preset *ps, enum axis x, const struct params *p)
{
	return x == AXIS_ISSUE && strcmp(ps->value[x], "machine") == 0 ? p->issue : ps->value[x];
}

static void apply_preset(struct rf_config *c, const struct preset *ps, const struct params *p)
{
	for (unsigned x = 0; x < AXES; x++) {
		const char *v = preset_value(ps, x, p);

		assign(c, x, find(x, v, strlen(v)));
	}
}

/* "gto, lrr" into buf. */
static const char *names(enum axis x, char *buf, size_t cap)
{
	size_t n = 0;

	buf[0] = '\0';
	for (const struct axis_value *v = axis_values[x]; v->name && n < cap; v++)
		n += (size_t)snprintf(buf + n, cap - n, "%s%s", n ? ", " : "", v->name);
	return buf;
}

/* A preset, of n bytes at `item`, that is not the first item of text. */
static bool second_preset(const char *text, const char *item, size_t n, struct diag *d)
{
	size_t first = strcspn(text, ",");

	if (memchr(text, '=', first))
		return diag_error_plain(d, NULL, "--rf: the preset '%.*s' must come first", (int)n, item);
	return diag_error_plain(d, NULL, "--rf: '%.*s' and '%.*s' are two presets, and a configuration has one",
				(int)first, text, (int)n, item);
}

/* The n bytes at `item`, in text. */
static bool parse_item(struct rf_config *c, const char *text, const char *item, size_t n, unsigned *given,
		       const struct params *p, struct diag *d)
{
	const char *eq = memchr(item, '=', n);
	size_t len = eq ? (size_t)(eq - item) : n;
	char buf[256], hint[NEAR_HINT];
	struct near near;
	const void *ops;

	if (!eq) {
		near_begin(&near, item, n);
		for (unsigned i = 0; i < PRESETS; i++) {
			near_offer(&near, preset[i].name);
			if (strlen(preset[i].name) != n || memcmp(preset[i].name, item, n) != 0)
				continue;
			if (item != text)
				return second_preset(text, item, n, d);
			apply_preset(c, &preset[i], p);
			return true;
		}
		return diag_error_plain(d, NULL, "--rf: no preset is called '%.*s'; `sm-model list rf` names them%s",
					(int)n, item, near_hint(&near, hint));
	}
	for (unsigned x = 0; x < AXES; x++) {
		if (strlen(axis_name[x]) != len || memcmp(axis_name[x], item, len) != 0)
			continue;
		if (*given >> x & 1)
			return diag_error_plain(d, NULL, "--rf: the axis '%s' is given twice", axis_name[x]);
		*given |= 1u << x;
		ops = find(x, eq + 1, n - len - 1);
		if (!ops)
			return diag_error_plain(d, NULL, "--rf: %s=%.*s is unknown; there is: %s", axis_name[x],
						(int)(n - len - 1), eq + 1, names(x, buf, sizeof buf));
		assign(c, x, ops);
		return true;
	}
	if (params_known(item, len))
		return diag_error_plain(d, NULL,
					"--rf: no axis is called '%.*s', but a parameter of the machine: --set %.*s",
					(int)len, item, (int)n, item);
	return diag_error_plain(
		d, NULL,
		"--rf: no axis is called '%.*s'; there are issue, residency, packing, hierarchy, values, reuse",
		(int)len, item);
}

bool rf_config_parse(struct rf_config *c, const char *text, struct params *p, struct diag *d)
{
	unsigned given = 0;
	char buf[256];

	if (!find(AXIS_ISSUE, p->issue, strlen(p->issue))) /* of a machine's file */
		return diag_error_plain(d, p->machine, "its scheduler '%s' is unknown; there is: %s", p->issue,
					names(AXIS_ISSUE, buf, sizeof buf));
	apply_preset(c, &preset[0], p);
	for (const char *item = text;;) {
		size_t n = strcspn(item, ",");

		if (!parse_item(c, text, item, n, &given, p, d))
			return false;
		if (!item[n])
			break;
		item += n + 1;
	}
	if (c->hierarchy->access)
		p->level_access = c->hierarchy->access;
	return true;
}

static bool reads(const struct needs *n, const char *parameter)
{
	for (const char *const *own = n->parameters; own && *own; own++)
		if (strcmp(*own, parameter) == 0)
			return true;
	return false;
}

/* "issue=two-level or issue=two-level-rr": the values of all axes that read a parameter. */
static const char *readers(const char *parameter, struct arena *a)
{
	const char *text = "";

	for (unsigned x = 0; x < AXES; x++)
		for (const struct axis_value *v = axis_values[x]; v->name; v++) {
			struct needs n = needs_of(x, v);

			if (reads(&n, parameter))
				text = arena_printf(a, "%s%s%s=%s", text, *text ? " or " : "", axis_name[x], v->name);
		}
	return text;
}

bool rf_config_reads(const struct rf_config *c, const char *parameter)
{
	bool read = false;

	for (unsigned x = 0; x < AXES; x++) {
		struct needs n = needs(c, x);

		read |= reads(&n, parameter);
	}
	return read;
}

const char *rf_config_idle(const struct rf_config *c, const struct params *p,
			   bool (*elsewhere)(const void *ctx, const char *parameter), const void *ctx, struct arena *a)
{
	for (unsigned x = 0; x < AXES; x++)
		for (const struct axis_value *v = axis_values[x]; v->name; v++)
			for (const char *const *of = needs_of(x, v).parameters; of && *of; of++)
				if (params_changed(p, *of) && !rf_config_reads(c, *of) &&
				    !(elsewhere && elsewhere(ctx, *of)))
					return arena_printf(a, "%s counts with %s only, and this is %s=%s", *of,
							    readers(*of, a), axis_name[x], needs(c, x).name);
	return NULL;
}

char *rf_config_name(const struct rf_config *c, const struct params *p, struct arena *a)
{
	unsigned best = 0, fewest = AXES + 1;
	char *text;

	for (unsigned i = 0; i < PRESETS; i++) {
		unsigned differ = 0;

		for (unsigned x = 0; x < AXES; x++)
			differ += strcmp(needs(c, x).name, preset_value(&preset[i], x, p)) != 0;
		if (differ < fewest) {
			fewest = differ;
			best = i;
		}
	}
	text = arena_printf(a, "%s", preset[best].name);
	for (unsigned x = 0; x < AXES; x++)
		if (strcmp(needs(c, x).name, preset_value(&preset[best], x, p)) != 0)
			text = arena_printf(a, "%s,%s=%s", text, axis_name[x], needs(c, x).name);
	return text;
}

/* "liveness, strands" into buf. */
static const char *missing(unsigned anno, char *buf, size_t cap)
{
	static const struct {
		enum anno anno;
		const char *what;
	} all[] = {
		{ ANNO_LIVE, "liveness" },
		{ ANNO_RELEASE, "release" },
		{ ANNO_CORF, "pairs and alignment" },
		{ ANNO_STRAND, "strands" },
		{ ANNO_RFC, "hints for caches" },
		{ ANNO_ORF, "places of operands" },
		{ ANNO_OWF, "order of sharing" },
		{ ANNO_SCALAR, "uniform values" },
		{ ANNO_REGMUTEX, "base and extended set" },
	};
	size_t n = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < sizeof all / sizeof *all && n < cap; i++)
		if (anno & all[i].anno)
			n += (size_t)snprintf(buf + n, cap - n, "%s%s", n ? ", " : "", all[i].what);
	return buf;
}

/* The encodings of registers are known as instructions issue, and say where the bytes of a whole entry are. */
static bool values_fit(const struct rf_config *c, const struct params *p, struct diag *d)
{
	if (!c->values->issue)
		return true;
	if (rf_config_renames(c) && !c->packing->renames)
		return diag_error_plain(d, NULL,
					"values=%s knows a register's encoding when an instruction issues, and "
					"residency=%s gives the register its place when "
					"it is written: choose one",
					c->values->name, c->residency->name);
	if (!c->packing->whole)
		return diag_error_plain(
			d, NULL,
			"values=%s and packing=%s each decide which bytes of an entry hold a register: choose one",
			c->values->name, c->packing->name);
	if (c->hierarchy->read || c->hierarchy->write)
		return diag_error_plain(d, NULL,
					"values=%s encodes registers of the main register file, and hierarchy=%s keeps "
					"some elsewhere, without their "
					"encoding: choose one",
					c->values->name, c->hierarchy->name);
	if (c->reuse->renames && !c->values->compare)
		return diag_error_plain(d, NULL,
					"values=%s has a register where its writer is proved to need it, and under "
					"reuse=%s it may be one that another wrote: "
					"choose one",
					c->values->name, c->reuse->name);
	if (rf_config_banks(c, p) > PROBE_BANKS)
		return diag_error_plain(d, NULL,
					"values=%s has %" PRIu32 " bank%s for scalars behind the %" PRIu32
					" of rf_banks, and an SM has room for %d: "
					"take fewer of one",
					c->values->name, p->scalar_banks, p->scalar_banks == 1 ? "" : "s", p->rf_banks,
					PROBE_BANKS);
	return true;
}

/* What a reuse has for an SM its sub-cores get equal shares of. */
static bool shares_fit(const struct rf_config *c, const struct params *p, struct diag *d)
{
	const struct {
		const char *name;
		uint32_t n;
	} of[] = { { "reuse_entries", p->reuse_entries },
		   { "vsb_entries", p->vsb_entries },
		   { "verify_entries", p->verify_entries },
		   { "reuse_queue", p->reuse_queue } };

	for (unsigned i = 0; i < sizeof of / sizeof *of; i++)
		if (rf_config_reads(c, of[i].name) && of[i].n % p->schedulers)
			return diag_error_plain(d, NULL,
						"core 1 (subcore): under reuse=%s each of %" PRIu32
						" sub-cores has as many of %s, which is %" PRIu32,
						c->reuse->name, p->schedulers, of[i].name, of[i].n);
	return true;
}

/* On a core of sub-cores registers are in the two banks of their warp's sub-core, and what may issue is known before a
 * value is, unless a scoreboard looks. */
static bool subcore_fits(const struct rf_config *c, const struct params *p, struct diag *d)
{
	const struct {
		const char *axis, *name;
		bool waits;
	} late[] = { { "hierarchy", c->hierarchy->name, c->hierarchy->read || c->hierarchy->write },
		     { "values", c->values->name, c->values->issue != NULL },
		     { "reuse", c->reuse->name, c->reuse->renames } };

	if (!p->core)
		return true;
	if (!c->residency->subcores)
		return diag_error_plain(d, NULL,
					"core 1 (subcore): residency=%s gives a register any bank of an SM, and "
					"a sub-core reaches two of them: take residency=static",
					c->residency->name);
	if (p->rf_banks != 2 * p->schedulers)
		return diag_error_plain(d, NULL,
					"core 1 (subcore): each of %" PRIu32 " sub-cores has two banks, and "
					"rf_banks is %" PRIu32,
					p->schedulers, p->rf_banks);
	if (p->rf_registers % (p->rf_banks * WARP_LANES))
		return diag_error_plain(d, NULL,
					"core 1 (subcore): %" PRIu32 " banks are of one size, and rf_registers is "
					"%" PRIu32 ", not a multiple of %" PRIu32,
					p->rf_banks, p->rf_registers, p->rf_banks * WARP_LANES);
	if (p->reg_round % 2)
		return diag_error_plain(d, NULL,
					"core 1 (subcore): a warp has as many registers in each of two banks, and "
					"reg_round is %" PRIu32,
					p->reg_round);
	if (rf_config_renames(c) && !p->dependences)
		return diag_error_plain(d, NULL,
					"core 1 (subcore): %s=%s may move a register when it is written, and the "
					"code's stall counts do not say that its older readers have read it: "
					"--set dependences=scoreboard has a scoreboard",
					c->packing->renames ? "packing" : "residency",
					c->packing->renames ? c->packing->name : c->residency->name);
	for (unsigned i = 0; i < sizeof late / sizeof *late && !p->dependences; i++)
		if (late[i].waits)
			return diag_error_plain(
				d, NULL,
				"core 1 (subcore): under %s=%s a result is there at another time than the "
				"code's stall counts say: --set dependences=scoreboard has a scoreboard",
				late[i].axis, late[i].name);
	return shares_fit(c, p, d);
}

bool rf_config_check(const struct rf_config *c, const struct params *p, unsigned have, const char *object,
		     struct diag *d)
{
	const char *renames = c->packing->renames ? "packing" : "residency",
		   *renamer = c->packing->renames ? c->packing->name : c->residency->name;
	char buf[128];
	bool ok = true;

	if (!subcore_fits(c, p, d))
		return false;
	if (rf_config_renames(c) && c->reuse->renames)
		return diag_error_plain(d, NULL, "%s=%s and reuse=%s each rename the registers: choose one", renames,
					renamer, c->reuse->name);
	if (rf_config_renames(c) && c->hierarchy->writes_back)
		return diag_error_plain(d, NULL,
					"%s=%s gives a register its place when an instruction writes it, and "
					"hierarchy=%s writes it back "
					"later: choose one",
					renames, renamer, c->hierarchy->name);
	if (c->residency->variant && rf_config_renames(c))
		return diag_error_plain(
			d, NULL,
			"residency=%s says where each register is, and packing=%s has a table for that: choose one",
			c->residency->name, c->packing->name);
	if (c->residency->variant && c->reuse->renames)
		return diag_error_plain(
			d, NULL,
			"residency=%s says where each register is, and reuse=%s has a table for that: choose one",
			c->residency->name, c->reuse->name);
	if (c->residency->variant && c->hierarchy->writes_back)
		return diag_error_plain(d, NULL,
					"residency=%s gives registers back at a point of the program, and hierarchy=%s "
					"writes some back later: choose one",
					c->residency->name, c->hierarchy->name);
	if (c->residency->may_issue && c->hierarchy->waits)
		return diag_error_plain(d, NULL,
					"residency=%s may hold a warp up at any instruction, and under hierarchy=%s a "
					"warp keeps its place until its strand "
					"has ended: choose one",
					c->residency->name, c->hierarchy->name);
	if (c->residency->may_issue && c->reuse->renames)
		return diag_error_plain(d, NULL,
					"residency=%s says when a warp may have its registers, and reuse=%s takes each "
					"as it is written: choose one",
					c->residency->name, c->reuse->name);
	if (!c->packing->whole && c->reuse->renames)
		return diag_error_plain(d, NULL,
					"packing=%s puts several registers into an entry, and reuse=%s shares whole "
					"entries: choose one",
					c->packing->name, c->reuse->name);
	if ((c->hierarchy->read || c->hierarchy->write) && c->reuse->renames)
		return diag_error_plain(d, NULL,
					"hierarchy=%s finds registers in the entries that took their results, and "
					"reuse=%s leaves results where "
					"others have written them: choose one",
					c->hierarchy->name, c->reuse->name);
	if (c->issue->asks_owners && !c->residency->owners)
		return diag_error_plain(d, NULL,
					"issue=%s prefers warps that own what they share with others, and under "
					"residency=%s none do: add residency=owf, "
					"or choose another issue",
					c->issue->name, c->residency->name);
	if (c->hierarchy->two_level && !c->issue->demotes && p->rf_flush)
		return diag_error_plain(d, NULL,
					"hierarchy=%s has entries for the active warps of a two-level scheduler alone, "
					"and this is issue=%s: "
					"add issue=two-level, or keep what every warp has with --set rf_flush=0",
					c->hierarchy->name, c->issue->name);
	if (!values_fit(c, p, d))
		return false;
	for (unsigned x = 0; x < AXES; x++) {
		struct needs n = needs(c, x);

		if (n.anno & ~have)
			ok = diag_error_plain(
				d, object,
				"%s=%s needs annotations that the object lacks: %s; make it again by ptx-annotate%s",
				axis_name[x], n.name, missing(n.anno & ~have, buf, sizeof buf),
				n.anno & ~have & ANNO_REGMUTEX ? " without --regmutex=off" : "");
	}
	return ok;
}

unsigned rf_config_records(const struct rf_config *c)
{
	unsigned want = 0;

	for (unsigned x = 0; x < AXES; x++)
		want |= needs(c, x).record;
	return want;
}

void rf_config_print(FILE *f, const struct rf_config *c, const struct params *p)
{
	struct arena a;

	arena_init(&a);
	fprintf(f, "register file %s\n", rf_config_name(c, p, &a));
	for (unsigned x = 0; x < AXES; x++)
		fprintf(f, "  %-20s %-21s %s\n", axis_name[x], needs(c, x).name, needs(c, x).source);
	arena_free(&a);
}

json_t *rf_config_json(const struct rf_config *c)
{
	json_t *o = json_object();

	for (unsigned x = 0; o && x < AXES; x++)
		json_object_set_new(o, axis_name[x], json_string(needs(c, x).name));
	return o;
}

/* That value v of axis x adds to an SM of the default machine. */
static unsigned storage_bits(enum axis x, const struct axis_value *v)
{
	struct rf_config c;
	struct params p;
	struct diag d;
	bool ok;

	diag_init(&d, NULL);
	ok = params_machine(&p, params_machine_name(0), &d);
	diag_free(&d);
	if (!ok)
		return 0;
	apply_preset(&c, &preset[0], &p);
	assign(&c, x, v->ops);
	return rf_config_storage(&c, &p, STORAGE_REGISTERS);
}

void rf_config_list(FILE *f)
{
	fprintf(f, "register-file presets (--rf NAME); issue=machine: the scheduler of the machine\n");
	for (unsigned i = 0; i < PRESETS; i++) {
		fprintf(f, "  %-20s %s\n  %-20s", preset[i].name, preset[i].what, "");
		for (unsigned x = 0; x < AXES; x++)
			fprintf(f, "%s%s=%s", x ? "," : " ", axis_name[x], preset[i].value[x]);
		fprintf(f, "\n");
	}
	fprintf(f, "axes (--rf PRESET,axis=value,...); bits more in an SM: of %s, for %d registers a thread\n",
		params_machine_name(0), STORAGE_REGISTERS);
	for (unsigned x = 0; x < AXES; x++)
		for (const struct axis_value *v = axis_values[x]; v->name; v++) {
			const unsigned bits = storage_bits(x, v);
			char item[64];

			snprintf(item, sizeof item, "%s=%s", axis_name[x], v->name);
			fprintf(f, "  %-26s %s", item, needs_of(x, v).source);
			if (bits)
				fprintf(f, "; %u bits more in an SM", bits);
			fputc('\n', f);
		}
}
