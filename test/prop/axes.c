#include "test/prop/axes.h"
#include "analyzer/base/rng.h"
#include "runtime-model/config/rf_config.h"

#include <stdio.h>
#include <string.h>

#define ISSUE(id, name) name,
#define RESIDENCY(id, name) name,
#define PACKING(id, name) name,
#define HIERARCHY(id, name) name,
#define VALUES(id, name) name,
#define REUSE(id, name) name,
static const char *const issue[] = {
#include "runtime-model/issue/list.def"
};
static const char *const residency[] = {
#include "runtime-model/residency/list.def"
};
static const char *const packing[] = {
#include "runtime-model/packing/list.def"
};
static const char *const hierarchy[] = {
#include "runtime-model/hierarchy/list.def"
};
static const char *const values[] = {
#include "runtime-model/values/list.def"
};
static const char *const reuse[] = {
#include "runtime-model/reuse/list.def"
};
#undef ISSUE
#undef RESIDENCY
#undef PACKING
#undef HIERARCHY
#undef VALUES
#undef REUSE

#define NAMES(list)                                 \
	{                                           \
		sizeof(list) / sizeof *(list), list \
	}
const struct axis_values axis_values[AXES] = {
	[AXIS_ISSUE] = NAMES(issue),         [AXIS_RESIDENCY] = NAMES(residency), [AXIS_PACKING] = NAMES(packing),
	[AXIS_HIERARCHY] = NAMES(hierarchy), [AXIS_VALUES] = NAMES(values),       [AXIS_REUSE] = NAMES(reuse),
};

bool axes_go(const char *text, const struct params *p, unsigned have, struct rf_config *rf)
{
	struct params machine = *p;
	struct diag d;
	bool ok;

	diag_init(&d, NULL);
	ok = rf_config_parse(rf, text, &machine, &d) && rf_config_check(rf, p, have, "", &d);
	diag_free(&d);
	return ok;
}

static void draw(enum axis x, uint64_t *rng, const struct params *p, unsigned have, char text[RF_TEXT])
{
	const struct axis_values *v = &axis_values[x];
	const size_t n = strlen(text);
	struct rf_config rf;

	do
		snprintf(text + n, RF_TEXT - n, ",%s=%s", axis_name[x], v->name[rng_below(rng, v->n)]);
	while (!axes_go(text, p, have, &rf));
}

void axes_draw(const char *rf, unsigned drawn, uint64_t *rng, const struct params *p, unsigned have, char text[RF_TEXT])
{
	static const char any[] = "baseline", two_level[] = "baseline,issue=two-level";
	char all[RF_TEXT];

	snprintf(all, sizeof all, "%s,%s", two_level, rf);
	for (unsigned x = 0; x < AXES; x++)
		if (drawn >> x & 1)
			draw((enum axis)x, rng, p, have, all);
	snprintf(text, RF_TEXT, "%s%s", any, all + strlen(two_level));
	draw(AXIS_ISSUE, rng, p, have, text);
}
