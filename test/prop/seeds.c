#include <stdio.h>
#include <stdlib.h>

#include "test/prop/seeds.h"

struct seeds seeds_of(const char *name, int argc, char **argv, uint64_t n)
{
	return (struct seeds){ name, argc > 1 ? strtoull(argv[1], NULL, 0) : n,
			       argc > 2 ? strtoull(argv[2], NULL, 0) : 1 };
}

struct seeds seeds_same(const struct seeds *s)
{
	enum { FEW = 20 };

	return (struct seeds){ s->name, s->first == 1 || s->n < FEW ? s->n : FEW, 1 };
}

unsigned seeds_try(const struct seeds *s, seed_check *check, void *sums, void (*where)(unsigned at))
{
	unsigned failed = 0;

	/* what failed is seen even if the next kernel crashes */
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (uint64_t seed = s->first; seed < s->first + s->n && failed < 5; seed++) {
		unsigned at = 0;
		const char *wrong;
		struct arena a;
		struct diag d;

		arena_init(&a);
		diag_init(&d, NULL);
		wrong = check(seed, &at, sums, &a, &d);
		if (wrong) {
			printf("%s: seed %llu", s->name, (unsigned long long)seed);
			if (where)
				where(at);
			printf(": %s\n%s", wrong, d.last ? d.last : "");
			failed++;
		}
		diag_free(&d);
		arena_free(&a);
	}
	return failed;
}
