#include "analyzer/lib/facts.h"
#include "analyzer/base/near.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMS_SHOWN = 12 };

bool facts_sizes(const char *text, const uint32_t max[3], uint64_t product, uint32_t out[3])
{
	uint64_t all = 1;

	out[1] = out[2] = 1;
	for (unsigned n = 0; n < 3; n++) {
		char *end;
		unsigned long v;

		errno = 0;
		v = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
		if (!v || errno || v > max[n])
			return false;
		out[n] = (uint32_t)v;
		all *= v;
		if (!*end)
			return !product || all <= product;
		if (*end != ',')
			return false;
		text = end + 1;
	}
	return false;
}

bool facts_param(const char *text, struct launch_param *p, struct arena *a)
{
	size_t n = strcspn(text, "=");
	const char *number = text + n + 1;
	bool minus = text[n] && *number == '-';
	char *end;

	if (!n || !text[n])
		return false;
	number += minus;
	if (*number < '0' || *number > '9')
		return false;
	errno = 0;
	p->value = strtoull(number, &end, strncmp(number, "0x", 2) == 0 || strncmp(number, "0X", 2) == 0 ? 16 : 10);
	if (*end || errno || (minus && p->value > (uint64_t)1 << 63))
		return false;
	p->value = minus ? 0 - p->value : p->value;
	p->name = arena_strndup(a, text, n);
	return true;
}

/* As the bits of the parameter's size, of a signed number or an unsigned one. */
static bool fits(uint64_t v, unsigned bytes)
{
	int64_t s = (int64_t)v;

	return bytes >= 8 || v >> 8 * bytes == 0 || (s < 0 && s >= -((int64_t)1 << (8 * bytes - 1)));
}

/* What a kernel of machine code has, which has no names for it: "; machine code numbers them, in saxpy: param_0 (8
 * bytes at 0), ..."; else "". */
static const char *numbered(const struct module *m, struct arena *a)
{
	const struct kernel *k = NULL;
	const char *text;

	for (uint32_t n = 0; n < m->nkernel && !k; n++)
		k = m->kernel[n]->native && m->kernel[n]->nparam ? m->kernel[n] : NULL;
	if (!k)
		return "";
	text = arena_printf(a, "; machine code numbers them, in %s:", k->name);
	for (uint32_t p = 0; p < k->nparam && p < PARAMS_SHOWN; p++)
		text = arena_printf(a, "%s%s %s (%u byte%s at %u)", text, p ? "," : "", k->param[p].name,
				    k->param[p].size, k->param[p].size == 1 ? "" : "s", k->param[p].offset);
	return k->nparam > PARAMS_SHOWN ? arena_printf(a, "%s and %u more", text, k->nparam - PARAMS_SHOWN) : text;
}

bool facts_check(const struct launch_facts *f, const struct module *m, struct diag *d)
{
	for (uint32_t n = 0; n < f->nparam; n++) {
		const struct launch_param *x = &f->param[n];
		const struct kernel *of = NULL;
		const struct param *p = NULL;
		char hint[NEAR_HINT];
		struct near near;

		near_begin(&near, x->name, strlen(x->name));
		for (uint32_t other = 0; other < n; other++)
			if (strcmp(f->param[other].name, x->name) == 0)
				return diag_error_plain(d, m->src_name, "--param %s is given twice", x->name);
		for (uint32_t k = 0; k < m->nkernel; k++)
			for (uint32_t q = 0; q < m->kernel[k]->nparam; q++) {
				const struct param *c = &m->kernel[k]->param[q];

				if (!c->name)
					continue;
				near_offer(&near, c->name);
				if (strcmp(c->name, x->name) != 0)
					continue;
				if (c->array || type_info[c->type].kind == 'f' || type_info[c->type].kind == 'x' ||
				    c->size > 8)
					return diag_error_plain(d, m->src_name,
								"parameter %s of kernel %s is no integer (%s%s): loops "
								"cannot count by it",
								x->name, m->kernel[k]->name, type_info[c->type].text,
								c->array ? " array" : "");
				of = m->kernel[k];
				p = c;
				if (!fits(x->value, p->size))
					return diag_error_plain(
						d, m->src_name,
						"%" PRId64
						" does not fit parameter %s of kernel %s, which has %u byte%s",
						(int64_t)x->value, x->name, of->name, p->size, p->size == 1 ? "" : "s");
			}
		if (!of)
			return diag_error_plain(d, m->src_name, "no kernel has a parameter %s%s", x->name,
						*numbered(m, m->a) ? numbered(m, m->a) : near_hint(&near, hint));
	}
	return true;
}
