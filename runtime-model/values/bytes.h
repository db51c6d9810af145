/* Checked mode: the bytes of one register as the values axis stores them. What is not stored stays what it was
 * there. */
#ifndef REGLOOM_BYTES_H
#define REGLOOM_BYTES_H

#include "runtime-model/core/encode.h"

enum { BYTE_ARRAYS = 8, ARRAY_BYTES = 16 };

enum bytes_layout {
	/* array 2 b + h has byte b of half h; equal upper bytes are in the base value registers alone */
	LAYOUT_SLICED,
	/* word by word; or packed from the first array on: lane 0, then what lanes 1 to 31 differ by */
	LAYOUT_BDI,
	LAYOUT_SCALAR, /* word by word; or a scalar in a register file of its own */
	LAYOUT_AFFINE, /* word by word; or base and stride in the first array */
};

struct stored {
	uint8_t array[BYTE_ARRAYS][ARRAY_BYTES];
	/* base value registers of both halves, or one; or in the register file for scalars */
	uint32_t base[2];
};

/* Writes the lanes e.lanes of v, encoded as e. Returns the arrays touched, as bits. */
unsigned bytes_store(struct stored *r, enum bytes_layout layout, struct encoding e, bool half,
		     const uint32_t v[WARP_LANES]);
/* What is there, if it is encoded as e. */
unsigned bytes_load(const struct stored *r, enum bytes_layout layout, struct encoding e, bool half,
		    uint32_t v[WARP_LANES]);
/* What physical register phys holds that nobody has written, or that is dead. */
void bytes_poison(struct stored *r, unsigned phys);

#endif
