/* A search through the functions from the kernel on, in whose post-order their calls are listed. */
#include "passes/calls.h"

struct search {
	const struct kernel *k;
	uint32_t *call_at, *call;                  /* of function p: blocks call[call_at[p] .. call_at[p + 1]) */
	uint32_t *stack, *next_call, *next_target; /* functions that are open, and where the search is in each */
	bool *seen;
};

static void list_calls(struct search *s, struct arena *a)
{
	uint32_t n = 0, p = 0;

	s->call_at = new_array(a, uint32_t, (size_t)s->k->nproc + 1);
	s->call = new_array(a, uint32_t, (size_t)s->k->nblock + 1);
	for (uint32_t b = 0; b < s->k->nblock; b++) {
		while (p < ir_proc_of(s->k, b))
			s->call_at[++p] = n;
		if (calls_targets(s->k, b).n)
			s->call[n++] = b;
	}
	while (p < s->k->nproc)
		s->call_at[++p] = n;
}

/* The next function that p calls and that is not open nor done; UINT32_MAX: there is none. */
static uint32_t next_callee(struct search *s, uint32_t p)
{
	for (; s->next_call[p] < s->call_at[p + 1]; s->next_call[p]++, s->next_target[p] = 0) {
		const struct ir_targets t = calls_targets(s->k, s->call[s->next_call[p]]);

		while (s->next_target[p] < t.n) {
			const uint32_t callee = ir_proc_of(s->k, ir_target(&t, s->next_target[p]++));

			if (!s->seen[callee])
				return callee;
		}
	}
	return UINT32_MAX;
}

struct calls calls_in_order(const struct kernel *k, struct arena *a)
{
	const uint32_t n = k->nproc;
	struct search s = { .k = k };
	uint32_t *out, nout = 0;

	if (!n)
		return (struct calls){ NULL, 0 };
	list_calls(&s, a);
	out = new_array(a, uint32_t, (size_t)s.call_at[n] + 1);
	s.stack = new_array(a, uint32_t, (size_t)n + 1);
	s.next_call = new_array(a, uint32_t, (size_t)n + 1);
	s.next_target = new_array(a, uint32_t, (size_t)n + 1);
	s.seen = new_array(a, bool, (size_t)n + 1);
	memcpy(s.next_call, s.call_at, n * sizeof *s.next_call);
	for (uint32_t root = 0; root < n; root++) {
		uint32_t top = 0;

		if (s.seen[root])
			continue;
		s.seen[root] = true;
		s.stack[top++] = root;
		while (top) {
			const uint32_t p = s.stack[top - 1], callee = next_callee(&s, p);

			if (callee != UINT32_MAX) {
				s.seen[callee] = true;
				s.stack[top++] = callee;
				continue;
			}
			for (uint32_t c = s.call_at[p]; c < s.call_at[p + 1]; c++)
				out[nout++] = s.call[c];
			top--;
		}
	}
	return (struct calls){ out, nout };
}
