/* Machine code of the kernels that measure, and changes to it that no compiler would make. */
#ifndef REGLOOM_HARDWARE_EDIT_H
#define REGLOOM_HARDWARE_EDIT_H

#include "analyzer/base/diag.h"

/* Of the elements between a kernel's reads of the clock: nothing; stall counts of NOPs, which only keep them apart;
 * those and their own, which become 1; the same, all operands from one
 * register bank, which no element writes; and the first two of them held by the reuse cache. Of loads of shared memory
 * and the FFMA between them: each load comes before its FFMA, which have stall counts of 1, and their results go to the
 * other register bank than the load's; to its own. */
enum edit { EDIT_NONE, EDIT_PADS, EDIT_QUICK, EDIT_BANK, EDIT_REUSE, EDIT_APART, EDIT_COLLIDE };

struct image {
	const char *name;
	void *bytes;
	size_t n;
	unsigned sm;
};
/* The kernels for a device of that compute capability, in arena a; its own, or what a driver takes in place of them.
 * False with a diagnostic: there are none. */
bool kernels_image(struct image *out, unsigned sm, struct arena *a, struct diag *d);
struct image kernels_copy(const struct image *in, struct arena *a);
/* Changes the elements of one kernel; they are called as `elements` says, "FFMA" or "LOP3 SHF". False with a
 * diagnostic. */
bool kernels_edit(const struct image *in, const char *kernel, const char *elements, enum edit how, struct arena *a,
		  struct diag *d);
/* A copy in which MUFU of that kernel is of another function and type, as its modifiers are called; "": no type. False:
 * this GPU has no such, or with a diagnostic. */
bool kernels_function(struct image *out, const struct image *in, const char *kernel, const char *function,
		      const char *type, struct arena *a, struct diag *d);
/* Elements between the first and the second read of the clock of a kernel, and between the second and the third. */
bool kernels_count(const struct image *in, const char *kernel, const char *elements, unsigned n[2], struct arena *a,
		   struct diag *d);

#endif
