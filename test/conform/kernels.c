/* Kernels for rows that are no functions of registers: NAME.ptx, launched as NAME.yaml says, in virtual form and
 * compiled. What must come out is in the launch file's expectations or in NAME.want; of what ends a launch, in
 * NAME.fault (README.md). */
#include "test/conform/conform.h"
#include "test/conform/native.h"

#include "analyzer/ptx/ptx.h"
#include "passes/pass.h"
#include "runtime-model/launch/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct job {
	struct arena a;
	struct diag d;
	struct pass_ctx cx;
	struct source ptx, want, fault;
	struct module *m;
	struct launch_file *f;
	struct device *dev;
	bool *executed;
	const char *name;
};

/* ---- running ---- */
static bool launch_once(struct job *j, const struct launch_cursor *c)
{
	const struct launch_spec *s = &j->f->launch[c->launch];
	const struct kernel *k = module_find_kernel(j->m, s->kernel);
	uint32_t bytes = launch_param_bytes(k);
	void *params = arena_alloc_array(&j->a, bytes + 8, 1, 8);
	struct launch l = { .m = j->m,
			    .k = k,
			    .dynamic_shared = s->shared_bytes,
			    .stack_bytes = s->stack_bytes,
			    .params = params,
			    .param_bytes = bytes };
	struct engine_options opt = { .consumers = 1, .max_insns = 10000000 };
	struct engine *e;
	bool ok = launch_params(j->f, c->launch, c->round, k, params, &j->d);

	memcpy(l.grid, s->grid, sizeof l.grid);
	memcpy(l.cluster, s->cluster, sizeof l.cluster);
	memcpy(l.block, s->block, sizeof l.block);
	e = ok ? engine_new(j->dev, &l, &opt, &j->d) : NULL;
	for (uint64_t cta = 0; e && ok && cta < engine_ctas(e); cta++)
		for (unsigned w = 0; ok && w < engine_warps_per_cta(e); w++) {
			struct record r;
			enum record_status status;

			while ((status = engine_next(e, 0, cta, w, &r)) == RECORD_OK)
				j->executed[k->insn[r.insn].op] |= r.active != 0;
			ok = status == RECORD_END;
		}
	engine_free(e);
	return e && ok;
}

static bool all_launches(struct job *j)
{
	struct launch_cursor c = { 0 };
	enum launch_step step;

	j->dev = device_new_for(j->m, &j->d);
	if (j->dev)
		device_set_host(j->dev, NULL, j->f->heap_bytes);
	if (!j->dev || !device_load(j->dev, j->m) || !launch_prepare(j->f, j->dev, &j->a, &j->d))
		return false;
	while ((step = launch_advance(j->f, j->dev, &c, &j->d)) == LAUNCH_RUN)
		if (!launch_once(j, &c))
			return false;
	return step == LAUNCH_DONE;
}

/* ---- NAME.want: "BUFFER: value value*times ..." ---- */
static const struct buffer_spec *buffer_called(const struct job *j, const char *name)
{
	for (unsigned i = 0; i < j->f->nbuffer; i++)
		if (!strcmp(j->f->buffer[i].name, name))
			return &j->f->buffer[i];
	return NULL;
}

static bool check_element(const struct job *j, const struct buffer_spec *b, uint64_t i, const char *text)
{
	unsigned bytes = type_info[b->type].bits / 8;
	struct number n;
	uint64_t want = 0, got = 0;

	if (!number_parse(&n, text) || !number_fits(&n, b->type)) {
		printf("      %s.want: '%s' is no .%s\n", j->name, text, type_info[b->type].text);
		return false;
	}
	if (i >= b->count) {
		printf("      %s.want: %s has %llu elements\n", j->name, b->name, (unsigned long long)b->count);
		return false;
	}
	number_store(&n, b->type, &want);
	memcpy(&got, (const char *)device_ptr(j->dev, b->address, b->count * bytes) + i * bytes, bytes);
	if (got == want)
		return true;
	printf("      %s: %s[%llu] is 0x%llx, not %s (0x%llx)\n", j->name, b->name, (unsigned long long)i,
	       (unsigned long long)got, text, (unsigned long long)want);
	return false;
}

static bool check_want(const struct job *j)
{
	const struct buffer_spec *b = NULL;
	uint64_t at = 0;
	char *text = malloc(j->want.len + 1), *save = NULL;
	bool ok = true;

	memcpy(text, j->want.text, j->want.len + 1);
	for (char *s = text; *s; s++) /* # to the end of the line: a comment */
		for (; *s == '#' || (s > text && s[-1] == '\a' && *s && *s != '\n'); s++)
			*s = '\a';
	for (char *word = strtok_r(text, " \t\n\a", &save); ok && word; word = strtok_r(NULL, " \t\n\a", &save)) {
		size_t n = strlen(word);
		char *star = strchr(word, '*');
		unsigned long times = star ? strtoul(star + 1, NULL, 10) : 1;

		if (word[n - 1] == ':') {
			ok = !b || at == b->count;
			if (!ok)
				printf("      %s.want: %s has %llu elements, not %llu\n", j->name, b->name,
				       (unsigned long long)b->count, (unsigned long long)at);
			word[n - 1] = 0;
			b = buffer_called(j, word);
			at = 0;
			ok &= b != NULL;
			if (!b)
				printf("      %s.want: no buffer is called %s\n", j->name, word);
			continue;
		}
		if (star)
			*star = 0;
		for (unsigned long t = 0; ok && t < times; t++)
			ok = b && check_element(j, b, at++, word);
	}
	if (ok && (!b || at != b->count)) {
		printf("      %s.want: the last buffer is not complete\n", j->name);
		ok = false;
	}
	free(text);
	return ok;
}

static bool check_expectations(struct job *j)
{
	struct expect_result *res = new_array(&j->a, struct expect_result, j->f->nexpect + 1);
	enum check c = launch_check(j->f, j->dev, res, &j->a, &j->d);

	for (unsigned i = 0; c == CHECK_FAIL && i < j->f->nexpect; i++)
		for (unsigned n = 0; !res[i].pass && n < res[i].nshown; n++)
			printf("      %s: %s[%llu] is %s, not %s\n", j->name, res[i].buffer,
			       (unsigned long long)res[i].shown[n].index, res[i].shown[n].got,
			       res[i].shown[n].expected);
	if (c == CHECK_NONE && !j->want.text) {
		printf("      %s: nothing says what must come out\n", j->name);
		return false;
	}
	return c != CHECK_FAIL && c != CHECK_ERROR && (!j->want.text || check_want(j));
}

/* NAME.fault: the row that ends the launch, and what is said of it. */
static bool check_fault(struct job *j)
{
	const char *text = arena_strndup(&j->a, j->fault.text, strcspn(j->fault.text, "\n")), *says = strchr(text, ' ');
	FILE *to = j->d.out;
	bool ran;

	j->d.out = NULL;
	ran = all_launches(j);
	j->d.out = to;
	if (native_is_set() && strncmp(text, "BRKPT ", 6) == 0)
		says = " the program asked to stop"; /* ptxas has one instruction for both */
	if (ran || !says || !strstr(j->d.last, says + 1)) {
		printf("      %s: %s, and not '%s'\n", j->name, ran ? "the launch ended well" : j->d.last,
		       says ? says + 1 : text);
		return false;
	}
	j->d.errors = 0;
	for (unsigned op = 0; op < OP_COUNT; op++)
		j->executed[op] |= strlen(op_info[op].id) == (size_t)(says - text) &&
				   strncmp(op_info[op].id, text, (size_t)(says - text)) == 0;
	return true;
}

static bool run_form(struct job *j, bool machine)
{
	bool ok, refused = false;

	j->m = native_is_set() ? native_module(j->ptx.text, &j->a, &j->d, &refused) : ptx_parse(&j->ptx, &j->a, &j->d);
	if (refused)
		return true;
	if (!j->m || !launch_bind(j->f, j->m, &j->d))
		return false;
	for (uint32_t i = 0; i < j->m->nkernel; i++) /* linking makes all other rows of a call */
		for (uint32_t n = 0; n < j->m->kernel[i]->ninsn; n++)
			j->executed[OP_CALL] |= j->m->kernel[i]->insn[n].op == OP_CALL;
	for (uint32_t i = 0; i < j->m->nkernel; i++)
		if ((!native_is_set() && !(machine ? pass_compile(j->m->kernel[i], &j->cx)
						   : pass_run(j->m->kernel[i], PASS_ID_link, &j->cx))) ||
		    !pass_need(j->m->kernel[i], FACT_CFG | FACT_PDOM | FACT_LIVE, &j->cx))
			return false;
	ok = j->fault.text ? check_fault(j) : all_launches(j) && check_expectations(j);
	if (j->dev)
		device_free(j->dev);
	j->dev = NULL;
	return ok;
}

bool kernel_run(const char *folder, const char *name, bool executed[OP_COUNT])
{
	static bool seen[OP_COUNT];
	struct job j = { .name = name, .executed = seen };
	char *ptx, *yaml, *want, *fault;
	bool ok;

	memset(seen, 0, sizeof seen);
	arena_init(&j.a);
	diag_init(&j.d, stdout);
	pass_ctx_init(&j.cx, &j.d);
	j.cx.opt.check = true;
	ptx = arena_printf(&j.a, "%s/%s.ptx", folder, name);
	yaml = arena_printf(&j.a, "%s/%s.yaml", folder, name);
	want = arena_printf(&j.a, "%s/%s.want", folder, name);
	fault = arena_printf(&j.a, "%s/%s.fault", folder, name);
	ok = source_read(&j.ptx, ptx, &j.a, &j.d) &&
	     (access(fault, F_OK) != 0 || source_read(&j.fault, fault, &j.a, &j.d)) &&
	     (access(want, F_OK) != 0 || source_read(&j.want, want, &j.a, &j.d));
	j.f = ok ? launch_read(yaml, &j.a, &j.d) : NULL;
	ok = j.f && run_form(&j, false) && (native_is_set() || run_form(&j, true));
	for (unsigned op = 0; ok && op < OP_COUNT; op++)
		executed[op] |= seen[op];
	if (j.dev)
		device_free(j.dev);
	pass_ctx_free(&j.cx);
	diag_free(&j.d);
	arena_free(&j.a);
	return ok;
}
