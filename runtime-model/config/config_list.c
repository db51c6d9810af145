/* Configurations as text. The items of one belong to the register file (a preset, an axis) or to the machine (its name,
 * its parameters); what is not the former is the latter. */
#include "runtime-model/config/config_list.h"
#include "runtime-model/core/machine_file.h"

#include <string.h>

static bool is_item(const char *item, size_t n, const char *name)
{
	size_t k = strlen(name);

	return n > k && memcmp(item, name, k) == 0 && item[k] == '=';
}

static bool take_name(struct config_list *l, const char *name, struct diag *d)
{
	if (!*name)
		return diag_error_plain(d, NULL, "a configuration has an empty name");
	for (unsigned i = 0; i < l->n; i++)
		if (strcmp(l->config[i].name, name) == 0)
			return diag_error_plain(
				d, NULL, "two configurations are called '%s'; name=LABEL tells them apart", name);
	l->config[l->n].name = name;
	return true;
}

/* NAME= stands once in a configuration. */
static bool check_once(const char *text, struct diag *d)
{
	for (const char *item = text;; item++) {
		size_t n = strcspn(item, ","), name = strcspn(item, "=,") + 1;

		for (const char *other = item + n; *other && item[name - 1] == '='; other += strcspn(other, ","))
			if (strncmp(++other, item, name) == 0)
				return diag_error_plain(d, NULL, "'%.*s' is given twice in '%s'", (int)name - 1, item,
							text);
		item += n;
		if (!*item)
			return true;
	}
}

/* Machine and parameters of the configuration, in p; the register file's items into *rf. */
static bool parse(struct config_list *l, const char *text, struct params *p, const char **rf, const char **name,
		  struct arena *a, struct diag *d)
{
	const char *machine = l->machine, *item, *preset = NULL;
	size_t n;

	for (item = text;; item += n + 1) {
		n = strcspn(item, ",");
		if (is_item(item, n, "machine"))
			machine = arena_strndup(a, item + 8, n - 8);
		if (!item[n])
			break;
	}
	if (!machine_read(p, machine, a, d)) {
		l->input = machine_is_file(machine);
		return false;
	}
	for (unsigned i = 0; i < l->nset; i++)
		if (!params_set(p, l->set[i], d))
			return false;
	for (item = text;; item += n + 1) {
		n = strcspn(item, ",");
		if (is_item(item, n, "name"))
			*name = arena_strndup(a, item + 5, n - 5);
		else if (!memchr(item, '=', n) && !preset) /* a preset, which comes first */
			preset = *rf = arena_printf(a, "%.*s%s%s", (int)n, item, *rf ? "," : "", *rf ? *rf : "");
		else if (axis_takes(item, n) || !memchr(item, '=', n))
			*rf = arena_printf(a, "%s%s%.*s", *rf ? *rf : "", *rf ? "," : "", (int)n, item);
		else if (!is_item(item, n, "machine") && !params_set(p, arena_strndup(a, item, n), d))
			return false;
		if (!item[n])
			return true;
	}
}

/* With the given name, if it is not NULL. */
static bool add(struct config_list *l, const char *text, const char *given, struct arena *a, struct diag *d)
{
	struct params *p = new(a, struct params);
	struct run_config *c = &l->config[l->n];
	const char *rf = NULL, *name = text;

	if (l->n == SIM_JOBS_MAX)
		return diag_error_plain(d, NULL, "more than %d configurations", SIM_JOBS_MAX);
	if (!check_once(text, d) || !parse(l, text, p, &rf, &name, a, d) ||
	    !rf_config_parse(&c->rf, rf ? rf : "baseline", p, d) || !take_name(l, given ? given : name, d))
		return false;
	c->params = p;
	l->text[l->n++] = text;
	return true;
}

bool config_list_add(struct config_list *l, const char *text, struct arena *a, struct diag *d)
{
	return add(l, arena_printf(a, "%s", text), NULL, a, d);
}

bool config_list_add_presets(struct config_list *l, const char *text, struct arena *a, struct diag *d)
{
	while (*text) {
		size_t n = strcspn(text, ",");

		while (text[n]) { /* axis=value after it */
			size_t more = strcspn(text + n + 1, ",");

			if (!memchr(text + n + 1, '=', more))
				break;
			n += 1 + more;
		}
		if (!config_list_add(l, arena_strndup(a, text, n), a, d))
			return false;
		text += n + (text[n] == ',');
	}
	return true;
}

bool config_list_sweep(struct config_list *l, const char *text, struct arena *a, struct diag *d)
{
	const char *values = strchr(text, '=');
	struct config_list *old = new(a, struct config_list);
	bool empty = l->n == 0;
	unsigned of = 1, at = 0; /* values; the number of this one */

	if (!values || values == text || !values[1])
		return diag_error_plain(d, NULL, "--sweep wants NAME=VALUE,VALUE,..., not '%s'", text);
	values++;
	*old = *l;
	l->n = 0;
	l->swept = old->swept ? old->swept : old->n + empty;
	for (const char *v = values; *v; v++)
		of += *v == ',' && v[1];
	for (unsigned i = 0; i < old->n + empty; i++)
		for (const char *v = values; *v; v += *v == ',', at = (at + 1) % of) {
			size_t n = strcspn(v, ",");
			const char *item = arena_printf(a, "%.*s%.*s", (int)(values - text), text, (int)n, v);
			const char *name = empty ? item : arena_printf(a, "%s,%s", old->config[i].name, item);

			if (!add(l, empty ? item : arena_printf(a, "%s,%s", old->text[i], item), name, a, d))
				return false;
			l->config[l->n - 1].beside = l->swept > 1 ? old->config[i].beside * of + at : 0;
			v += n;
		}
	return true;
}

/* Does a configuration read it that has it changed too? */
static bool read_elsewhere(const void *list, const char *parameter)
{
	const struct config_list *l = list;

	for (unsigned i = 0; i < l->n; i++)
		if (params_changed(l->config[i].params, parameter) && rf_config_reads(&l->config[i].rf, parameter))
			return true;
	return false;
}

const char *config_list_idle(const struct config_list *l, unsigned i, struct arena *a)
{
	return rf_config_idle(&l->config[i].rf, l->config[i].params, read_elsewhere, l, a);
}
