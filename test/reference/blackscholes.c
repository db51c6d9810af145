/* Reference of examples/blackscholes, in double precision. */
#include "ref.h"

enum { CHAIN = 64, BOOK = 60, CHAINS = 9, N = BOOK * CHAIN };

struct book {
	uint8_t *book;
	float *chain, *call, *put;
};

/* Probability of less than x: the formula of the example, which is within 7.5e-8 of it. */
static double normal(double x)
{
	double k = 1 / (1 + 0.2316419 * fabs(x));
	double tail = 0.39894228040143268 * exp(-0.5 * x * x) * k *
		      (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));

	return x > 0 ? 1 - tail : tail;
}

static void book_compute(void *state)
{
	struct book *s = state;
	const double rate = 0.02f, volatility = 0.3f;

	for (int i = 0; i < N; i++) {
		const float *c = s->chain + 2 * s->book[i / CHAIN];
		double spot = c[0], years = c[1], strike = spot * (0.75 + i % CHAIN / 128.0),
		       spread = volatility * sqrt(years);
		double d1 = (log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / spread,
		       due = strike * exp(-rate * years);

		s->call[i] = (float)(spot * normal(d1) - due * normal(d1 - spread));
		s->put[i] = (float)(due * (1 - normal(d1 - spread)) - spot * (1 - normal(d1)));
	}
}

static void book_write(void *state, const char *dir)
{
	struct book *s = state;

	ref_write(dir, "blackscholes.book", s->book, BOOK);
	ref_write(dir, "blackscholes.chain", s->chain, 2 * CHAINS * sizeof *s->chain);
	ref_write(dir, "blackscholes.call.expect", s->call, N * sizeof *s->call);
	ref_write(dir, "blackscholes.put.expect", s->put, N * sizeof *s->put);
}

/* Three stocks, each with options of three dates. */
int main(int argc, char **argv)
{
	struct book s = { ref_random_u8(BOOK, 921, 0, CHAINS), ref_new(float, 2 * CHAINS), ref_new(float, N),
			  ref_new(float, N) };
	static const float spot[3] = { 24, 40, 58 }, years[3] = { 0.25f, 0.5f, 1.5f };

	for (int c = 0; c < CHAINS; c++) {
		s.chain[2 * c] = spot[c / 3];
		s.chain[2 * c + 1] = years[c % 3];
	}
	return ref_main(argc, argv, &s, book_compute, book_write);
}
