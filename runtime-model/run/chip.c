/* Shares of power, each with its source. Energy and power are one here: both configurations do the same work, and the
 * paper's do it in the same time. */
#include "runtime-model/run/chip.h"

static const double chip_watts = 130;  /* Hong and Kim 2010 */
static const double dynamic = 2 / 3.0; /* a third leaks */
/* of the dynamic power; the memory system has the rest. Leon et al. 2007 */
static const double in_sms = 0.7;
static const double in_rf = 0.15; /* of an SM's, "conservatively". Hong and Kim 2010 */
/* Fetch and decode take 10 % of the chip's dynamic power, and 3 % more with one bit more in 32. */
static const double of_a_bit = 0.003;

struct chip_saving chip_saving(double before, double after, unsigned bits_before, unsigned bits_after)
{
	struct chip_saving c;

	c.rf = before > 0 ? 1 - after / before : 0;
	c.sm = c.rf * in_rf;
	c.chip = c.sm * in_sms;
	c.encoding = ((double)bits_after - (double)bits_before) * of_a_bit;
	c.net = c.chip - c.encoding;
	c.watts = c.net * chip_watts * dynamic;
	return c;
}
