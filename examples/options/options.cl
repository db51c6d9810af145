/* European call options after Black and Scholes: exponential, logarithm and roots from libclc, Debian's OpenCL C library. */
float normal(float x)                   /* probability of less than x: Abramowitz and Stegun 26.2.17 */
{
	float k = 1.0f / (1.0f + 0.2316419f * fabs(x));
	float tail = 0.39894228f * exp(-0.5f * x * x) * k *
	             (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));

	return x < 0 ? tail : 1.0f - tail;
}

__kernel void options(__global float *price, __global const float *spot, __global const float *strike, float rate, float volatility,
                      float years, uint n)
{
	uint i = get_global_id(0);

	if (i < n) {
		float spread = volatility * sqrt(years);
		float d1 = (log(spot[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years) / spread;

		price[i] = spot[i] * normal(d1) - strike[i] * exp(-rate * years) * normal(d1 - spread);
	}
}
