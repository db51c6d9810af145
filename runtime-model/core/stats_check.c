/* Conservation: everything here expands conserved.def. */
#include "runtime-model/core/stats.h"

#include <inttypes.h>
#include <string.h>

static uint64_t slots_sum(const struct stats *s)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < STALL_COUNT; i++)
		sum += s->slots[i];
	return sum;
}

/* "s->a + s->b" as "a + b". */
static const char *readable(const char *text, char *buf, size_t room)
{
	size_t n = 0;

	for (; *text && n + 1 < room; text++) {
		if (strncmp(text, "s->", 3) == 0)
			text += 3;
		buf[n++] = *text;
	}
	buf[n] = '\0';
	return buf;
}

static bool broken(struct diag *d, const char *a, const char *relation, const char *b, uint64_t x, uint64_t y)
{
	char left[256], right[256];

	return diag_error_plain(d, "sm-model",
				"counters do not add up: %s %s %s, but they are %" PRIu64 " and %" PRIu64,
				readable(a, left, sizeof left), relation, readable(b, right, sizeof right), x, y);
}

bool stats_check(const struct stats *s, struct diag *d)
{
#define EQUAL(a, b)     \
	if ((a) != (b)) \
		return broken(d, #a, "is", #b, a, b);
#define AT_MOST(a, b)  \
	if ((a) > (b)) \
		return broken(d, #a, "is at most", #b, a, b);
#include "runtime-model/core/conserved.def"
#undef EQUAL
#undef AT_MOST
	return true;
}
