/* Steps that z = z^2 + c needs to leave the circle of radius 2, one point a thread: plain C for the GPU. */
#define GLOBAL __attribute__((address_space(1)))

__attribute__((nvptx_kernel)) void mandel(GLOBAL unsigned short *steps, unsigned width, unsigned limit)
{
	unsigned col = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
	unsigned row = __nvvm_read_ptx_sreg_ctaid_y() * __nvvm_read_ptx_sreg_ntid_y() + __nvvm_read_ptx_sreg_tid_y();
	float cx = -2.0f + 3.0f * (float)col / (float)width, cy = -1.5f + 3.0f * (float)row / (float)width;
	float x = 0, y = 0;
	unsigned n = 0;

	for (; n < limit && x * x + y * y < 4.0f; n++) {
		float next = x * x - y * y + cx;

		y = 2.0f * x * y + cy;
		x = next;
	}
	steps[row * width + col] = (unsigned short)n;
}
