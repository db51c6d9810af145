/* What energy saved in the register file is of an SM and of the chip: the model of Gebhart et al., TOCS 2012,
 * section 6.3. It needs no power of ours, only what share of the dynamic power the register file has without the
 * technique. */
#ifndef REGLOOM_CHIP_H
#define REGLOOM_CHIP_H

/* shares: 0.05 is 5 %; negative: more than before */
struct chip_saving {
	double rf;       /* of the register file's dynamic energy */
	double sm, chip; /* of an SM's; of the chip's */
	/* of the chip's, that longer instructions take to fetch and decode: an upper bound */
	double encoding;
	double net;   /* chip - encoding */
	double watts; /* net, of the paper's chip */
};

/* before, after: dynamic energies of the register file; bits that either adds to an instruction */
struct chip_saving chip_saving(double before, double after, unsigned bits_before, unsigned bits_after);

#endif
