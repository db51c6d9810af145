/* Limits, and kernels that break them. */
#include "analyzer/base/kernel_name.h"
#include "analyzer/lib/gate.h"

#include "analyzer/base/infile.h"
#include "analyzer/base/near.h"
#include "analyzer/fatbin/fatbin.h"

#include <stdlib.h>
#include <string.h>

static const char *bound_name(enum figure f) { return figure_info[f].better == FIGURE_LESS ? "max" : "min"; }

const char *limit_text(const struct limit *l, struct arena *a)
{
	return arena_printf(a, "%s-%s=%g", bound_name(l->figure), figure_info[l->figure].name, l->bound);
}

/* ---- reading ---- */
static enum figure find_figure(const char *name)
{
	for (enum figure f = 0; f < FIGURE_COUNT; f++)
		if (strncmp(name, bound_name(f), 3) == 0 && name[3] == '-' &&
		    strcmp(name + 4, figure_info[f].name) == 0)
			return f;
	return FIGURE_COUNT;
}

static const char *unknown(const char *name, struct arena *a)
{
	char hint[NEAR_HINT];
	struct near near;

	for (enum figure f = 0; f < FIGURE_COUNT; f++)
		if (strlen(name) > 4 && name[3] == '-' && strcmp(name + 4, figure_info[f].name) == 0)
			return arena_printf(a, "there is no limit '%s': of %s %s is better, %s-%s", name,
					    figure_info[f].name, figure_info[f].better == FIGURE_LESS ? "less" : "more",
					    bound_name(f), figure_info[f].name);
	near_begin(&near, name, strlen(name));
	for (enum figure f = 0; f < FIGURE_COUNT; f++)
		near_offer(&near, arena_printf(a, "%s-%s", bound_name(f), figure_info[f].name));
	return arena_printf(a, "there is no limit '%s'%s", name, near_hint(&near, hint));
}

/* "KERNEL:max-live=64" */
static const char *add_one(struct limits *l, char *item, struct arena *a)
{
	char *value = strrchr(item, '='), *name = item, *colon, *end;
	struct limit x = { .kernel = NULL };

	if (!value || value == item || !value[1])
		return arena_printf(a, "'%s' is no limit: NAME=NUMBER or KERNEL:NAME=NUMBER", item);
	*value++ = '\0';
	colon = strrchr(item, ':');
	if (colon) {
		*colon = '\0';
		name = colon + 1;
		x.kernel = item;
		if (!*item)
			return arena_printf(a, ":%s names no kernel before the colon", name);
	}
	x.figure = find_figure(name);
	if (x.figure == FIGURE_COUNT)
		return unknown(name, a);
	x.bound = strspn(value, "0123456789.") == strlen(value) ? strtod(value, &end) : -1;
	if (x.bound < 0 || *end || end == value || x.bound > 1e12 ||
	    (*figure_info[x.figure].unit == '%' && x.bound > 100))
		return arena_printf(a, "%s=%s is not a number of %s%s", name, value,
				    *figure_info[x.figure].unit == '%' ? "percent" : figure_info[x.figure].unit,
				    *figure_info[x.figure].unit == '%' ? ", 0 to 100" : "");
	for (uint32_t i = 0; i < l->n; i++)
		if (l->of[i].figure == x.figure &&
		    (x.kernel ? l->of[i].kernel && strcmp(l->of[i].kernel, x.kernel) == 0 : !l->of[i].kernel))
			return arena_printf(a, "%s%s%s is given twice", x.kernel ? x.kernel : "", x.kernel ? ":" : "",
					    name);
	arena_grow(a, l->of, l->n, l->cap);
	l->of[l->n++] = x;
	return NULL;
}

const char *limits_add(struct limits *l, const char *list, struct arena *a)
{
	for (const char *p = list; *p || p == list;) {
		size_t n = strcspn(p, ",");
		const char *wrong =
			n ? add_one(l, arena_strndup(a, p, n), a) : "an empty limit: NAME=NUMBER or KERNEL:NAME=NUMBER";

		if (wrong)
			return wrong;
		p += n;
		if (!*p)
			break;
		if (!*++p)
			return "an empty limit behind the last comma";
	}
	return NULL;
}

bool limits_read(struct limits *l, const char *path, struct arena *a, struct diag *d)
{
	struct source s;

	if (!infile_source(&s, INFILE_LIMITS, path, a, d))
		return false;
	for (uint32_t at = 0, next; at < s.len; at = next) {
		const char *end = memchr(s.text + at, '\n', s.len - at), *wrong, *comment;
		uint32_t len = end ? (uint32_t)(end - s.text) - at : (uint32_t)s.len - at;

		next = at + len + 1;
		comment = memchr(s.text + at, '#', len);
		len = comment ? (uint32_t)(comment - s.text) - at : len;
		for (; len && strchr(" \t\r", s.text[at]) && s.text[at]; len--)
			at++;
		while (len && strchr(" \t\r", s.text[at + len - 1]) && s.text[at + len - 1])
			len--;
		wrong = len ? limits_add(l, arena_strndup(a, s.text + at, len), a) : NULL;
		if (wrong)
			diag_error(d, (struct loc){ &s, at }, "%s", wrong);
	}
	return !diag_failed(d);
}

bool limits_want(const struct limits *l, enum figure f)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->of[i].figure == f)
			return true;
	return false;
}

/* ---- what would help ---- */
static const char *help_live(const struct kernel_figures *x, struct arena *a)
{
	char *text = NULL;

	for (uint32_t w = 0; w < x->nwait; w++) {
		const char *made = x->wait[w].made, *read = x->wait[w].read;

		text = arena_printf(a, "%s%s%s%s, %s%s",
				    text ? text : "compute later, or again, what is live there and read last: ",
				    text ? "; " : "", x->wait[w].reg, *made ? arena_printf(a, " of %s", made) : "",
				    *read ? "read at " : "read in the next turn of the loop", read);
	}
	return text;
}

static const char *help_registers(const struct kernel_figures *x, double bound, struct arena *a)
{
	double live = x->value[FIGURE_LIVE], least = bound < 8 ? 8 : bound;

	if (x->native)
		return arena_printf(
			a, "at most %.0f are live at once; --maxrregcount=%.0f of nvcc and ptxas declares no more",
			live, bound);
	if (bound < 8)
		return "no kernel is compiled for fewer than 8 registers";
	return live <= bound ? arena_printf(a, "--maxreg=%.0f: at most %.0f are live at once", least, live)
			     : arena_printf(a, "at most %.0f live at once: %.0f are; --maxreg=%.0f spills the others",
					    bound, live, least);
}

/* The most registers, and the most shared memory, with which the block has that occupancy. */
static const char *help_occupancy(const struct kernel_figures *x, double bound, struct arena *a)
{
	struct occupancy_query q = x->occupancy;
	const char *text = NULL;
	struct occupancy o;

	for (q.regs = x->occupancy.regs; q.regs > 1; q.regs--) {
		o = occupancy_of(&q);
		if (view_percent(o.warps, o.warp_slots) >= bound)
			break;
	}
	o = occupancy_of(&q);
	if (view_percent(o.warps, o.warp_slots) >= bound)
		text = arena_printf(a, "at most %u registers a thread (%u now)", q.regs, x->occupancy.regs);
	q = x->occupancy;
	q.shared_bytes = 0;
	o = occupancy_of(&q);
	if (view_percent(o.warps, o.warp_slots) >= bound) {
		uint32_t low = 0, high = x->occupancy.shared_bytes; /* low suffices, high does not */

		while (high - low > 1) {
			q.shared_bytes = low + (high - low) / 2;
			o = occupancy_of(&q);
			if (view_percent(o.warps, o.warp_slots) >= bound)
				low = q.shared_bytes;
			else
				high = q.shared_bytes;
		}
		text = arena_printf(a, "%s%sat most %u bytes of shared memory a block (%u now)", text ? text : "",
				    text ? "; or " : "", low, x->occupancy.shared_bytes);
	}
	q = x->occupancy;
	q.threads = occupancy_best_block(&x->occupancy);
	o = occupancy_of(&q);
	if (q.threads != x->occupancy.threads && view_percent(o.warps, o.warp_slots) >= bound)
		text = arena_printf(a, "%s%sblocks of %u threads (%u now)", text ? text : "", text ? "; or " : "",
				    q.threads, x->occupancy.threads);
	if (!text)
		text = x->gain ? arena_printf(a, "no single change; for one more block: %s", x->gain) : NULL;
	return arena_printf(a, "%s limit%s it%s%s", x->limited_by,
			    strcmp(x->limited_by, "shared memory") == 0 ? "s" : "", text ? ": " : "", text ? text : "");
}

static const char *help_of(const struct kernel_figures *x, const struct limit *l, struct arena *a)
{
	switch (l->figure) {
	case FIGURE_LIVE:
		return help_live(x, a);
	case FIGURE_REGISTERS:
	case FIGURE_ALLOCATED:
		return help_registers(x, l->bound, a);
	case FIGURE_SPILL:
	case FIGURE_SPILL_INSN:
		return arena_printf(a,
				    "more registers (--maxreg, %.0f now) or fewer values live at once; %s is stored "
				    "and loaded most often",
				    x->value[FIGURE_REGISTERS], x->spilled ? x->spilled : "no value");
	case FIGURE_OCCUPANCY:
		return help_occupancy(x, l->bound, a);
	case FIGURE_SHARED:
		return x->shared_text ? arena_printf(a, "the largest variables: %s", x->shared_text) : NULL;
	case FIGURE_PAIRS:
	case FIGURE_ALIGNED:
		return x->pair_text
			       ? arena_printf(a, "most is lost by %s; --pairs=matching and --align=exact find the best",
					      x->pair_text)
			       : NULL;
	case FIGURE_LOCAL:
		if (x->native)
			return "arrays whose index is not known when compiled live there, values that found no "
			       "register, and the stack of functions that are called";
		return x->value[FIGURE_SPILL] > 0
			       ? arena_printf(a, "%.0f bytes of it are spilled values: more registers (--maxreg)",
					      x->value[FIGURE_SPILL])
			       : "arrays whose index is not known when compiled live there";
	case FIGURE_UPPER:
		return x->native ? "--orf-entries=N gives more entries"
				 : "--schedule=orf orders instructions for them, --orf-entries=N gives more entries";
	case FIGURE_CONFLICTS:
		return x->conflict_text
			       ? arena_printf(a,
					      "most is at %s; no register numbers leave less than %llu; --emit=banks",
					      x->conflict_text, (unsigned long long)x->conflict_bound)
			       : NULL;
	case FIGURE_REUSE:
		return "--emit=banks and --emit=json say which";
	case FIGURE_PREDICATES:
	case FIGURE_INSN:
	case FIGURE_CODE:
	case FIGURE_MOVES:
	case FIGURE_UNIFORM:
	case FIGURE_UNIFORM_PREDICATES:
	case FIGURE_COUNT:
		break;
	}
	return NULL;
}

static struct figure_place broken_at(const struct kernel_figures *x, enum figure f)
{
	if (f == FIGURE_LIVE || f == FIGURE_REGISTERS || f == FIGURE_ALLOCATED)
		return x->peak;
	if ((f == FIGURE_SPILL || f == FIGURE_SPILL_INSN || f == FIGURE_LOCAL) && x->spilled)
		return x->spill;
	if (f == FIGURE_CONFLICTS && x->conflict_text)
		return x->conflict;
	return (f == FIGURE_PAIRS || f == FIGURE_ALIGNED) && x->pair_text ? x->pair : x->start;
}

/* ---- comparing ---- */
static bool is_for(const struct limit *l, const char *kernel)
{
	return l->kernel && kernel_is_named(kernel, l->kernel);
}

/* Has kernel a limit of its own on what l is on? */
static bool has_own(const struct limits *all, const struct limit *l, const char *kernel)
{
	for (uint32_t i = 0; i < all->n; i++)
		if (all->of[i].figure == l->figure && is_for(&all->of[i], kernel))
			return true;
	return false;
}

bool gate_add(struct gate *g, struct limits *all, const struct kernel_figures *x, const char *input, struct diag *d)
{
	struct gate_kernel *k;

	arena_grow(g->a, g->of, g->n, g->cap);
	k = &g->of[g->n++];
	*k = (struct gate_kernel){ .of = x,
				   .input = input,
				   .result = new_array(g->a, struct gate_result, (size_t)all->n + 1) };
	for (uint32_t i = 0; i < all->n; i++) {
		struct limit *l = &all->of[i];
		struct gate_result *r = &k->result[k->nresult];

		if (l->kernel ? !is_for(l, x->name) : has_own(all, l, x->name))
			continue;
		l->used = true;
		if (l->figure == FIGURE_OCCUPANCY && x->missing[l->figure])
			return diag_error_plain(
				d, input,
				"kernel %s: %s needs the block size: .reqntid, --block X,Y,Z or --launch FILE says it",
				x->name, limit_text(l, g->a));
		*r = (struct gate_result){ .limit = l, .value = x->value[l->figure], .missing = x->missing[l->figure] };
		r->untold = r->missing && (l->figure == FIGURE_SPILL || l->figure == FIGURE_SPILL_INSN ||
					   l->figure == FIGURE_LIVE || l->figure == FIGURE_LOCAL);
		/* what is shown as equal is equal: occupancies like 1/3 have no short decimal number */
		if (r->missing)
			r->holds = !r->untold;
		else if (figure_info[l->figure].better == FIGURE_LESS)
			r->holds = r->value <= l->bound;
		else
			r->holds = r->value + 0.05 >= l->bound;
		if (r->untold) {
			r->at = x->start;
			if (l->figure == FIGURE_LIVE)
				r->help = x->elsewhere ? "what is linked has all of them"
						       : "max-registers=N limits what the code declares";
			else if (!x->missing[FIGURE_LOCAL])
				r->help = arena_printf(g->a, "max-local=N limits all of it, %.0f bytes",
						       x->value[FIGURE_LOCAL]);
		} else if (!r->holds) {
			r->at = broken_at(x, l->figure);
			r->help = help_of(x, l, g->a);
		}
		k->nbroken += !r->holds && !r->untold;
		k->nuntold += r->untold;
		k->nresult++;
	}
	return true;
}

bool gate_complete(const struct gate *g, const struct limits *l, struct diag *d)
{
	for (uint32_t i = 0; i < l->n; i++) {
		char hint[NEAR_HINT];
		struct near near;

		if (l->of[i].used || !l->of[i].kernel)
			continue;
		near_begin(&near, l->of[i].kernel, strlen(l->of[i].kernel));
		for (uint32_t k = 0; k < g->n; k++)
			near_offer(&near, g->of[k].of->name);
		diag_error_plain(d, NULL, "--check %s:%s: there is no kernel of that name%s", l->of[i].kernel,
				 limit_text(&l->of[i], g->a), near_hint(&near, hint));
	}
	return !diag_failed(d);
}

uint32_t gate_broken(const struct gate *g)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < g->n; k++)
		n += g->of[k].nbroken;
	return n;
}

uint32_t gate_untold(const struct gate *g)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < g->n; k++)
		n += g->of[k].nuntold;
	return n;
}

bool gate_holds(const struct gate *g) { return !gate_broken(g) && !gate_untold(g); }
