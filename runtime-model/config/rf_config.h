/* Register-file configurations: how one is written, what goes with what, what it needs. */
#ifndef REGLOOM_RF_CONFIG_H
#define REGLOOM_RF_CONFIG_H

#include "analyzer/base/diag.h"
#include "runtime-model/core/axes.h"
#include "runtime-model/core/params.h"

#include <jansson.h>
#include <stdio.h>

/* Parses "baseline", "baseline,issue=lrr", "issue=gto,packing=none": a preset and axis=value pairs. Presets take the
 * scheduler of machine p, which gets the cost of upper levels of their own.  Refuses unknown names and meaningless
 * combinations with one line that says why. False with a diagnostic. */
bool rf_config_parse(struct rf_config *c, const char *text, struct params *p, struct diag *d);
bool rf_config_reads(const struct rf_config *c, const char *parameter); /* is it one of a value's in c? */
/* A parameter that was changed on machine p although no value in c reads it: "active_warps counts with issue=two-level
 * or issue=two-level-rr only, and this is issue=gto", in arena a; or NULL. Not one that elsewhere(ctx, it) says is of
 * use; elsewhere may be NULL. */
const char *rf_config_idle(const struct rf_config *c, const struct params *p,
			   bool (*elsewhere)(const void *ctx, const char *parameter), const void *ctx, struct arena *a);
/* The shortest text that parses to c on machine p. */
char *rf_config_name(const struct rf_config *c, const struct params *p, struct arena *a);
/* Checks that the object carries what c needs (annotations `have`: enum anno), and that c has a meaning on machine p.
 * False with a diagnostic. */
bool rf_config_check(const struct rf_config *c, const struct params *p, unsigned have, const char *object,
		     struct diag *d);
unsigned rf_config_records(const struct rf_config *c);                            /* enum record_want */
void rf_config_print(FILE *f, const struct rf_config *c, const struct params *p); /* each axis with its source */
/* {"issue": "gto", ...}, a new reference; NULL if out of memory */
json_t *rf_config_json(const struct rf_config *c);
void rf_config_list(FILE *f); /* for sm-model list */

#endif
