/* Release points at work: what register file virtualization does where every CTA has room, and where CTAs share what
 * room there is. */
#ifndef REGLOOM_RFV_H
#define REGLOOM_RFV_H

#include "runtime-model/core/rename.h"

struct rfv {
	const struct release *release;
	const uint32_t *starts; /* by instruction: block + 1 that it begins, else 0 */
	struct rename *rename;
};

/* False with a diagnostic: residency=`name` needs release points that the kernel lacks. */
bool rfv_init(struct rfv *x, const struct axis_ctx *cx, const char *name);
/* Metadata instructions that tell which registers die in block b, and on entry to it. */
unsigned rfv_metadata(const struct kernel *k, uint32_t b);
/* u issues, and the renaming table knows of it: what dies there is released. */
void rfv_release(const struct rfv *x, const struct uop *u);

#endif
