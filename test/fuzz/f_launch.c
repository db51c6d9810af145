/* Any bytes as a launch file: accepted or refused with a message, and what is accepted can be bound to a kernel. */
#include "runtime-model/launch/launch.h"
#include "test/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const struct {
		const char *name;
		enum scalar_type t;
		uint32_t offset, size;
		bool array;
	} params[] = {
		{ "p", TY_U64, 0, 8, false },
		{ "n", TY_U32, 8, 4, false },
		{ "x", TY_F32, 12, 4, false },
		{ "s", TY_B8, 16, 24, true },
	};
	struct fuzz_input in;
	struct launch_file *f;

	fuzz_begin(&in, "fuzz.yaml", data, n);
	f = launch_read_source(&in.s, &in.a, &in.d);
	if (!f != !!diag_failed(&in.d))
		abort();
	if (f) {
		struct module *m = module_new(&in.a);
		struct kernel *k = kernel_new(m, "k");

		m->address_bits = 64;
		m->src_name = "fuzz";
		for (uint32_t i = 0; i < 4; i++) {
			arena_grow(&in.a, k->param, k->nparam, k->param_cap);
			k->param[k->nparam++] =
				(struct param){ params[i].name,       params[i].offset, params[i].size, 8,
						(uint8_t)params[i].t, params[i].array };
		}
		launch_bind(f, m, &in.d);
		for (unsigned i = 0; i < f->nbuffer; i++) {
			struct buffer_spec *b = &f->buffer[i];

			b->count = b->count < 64 ? b->count : 64;
			if (b->fill != FILL_FILE)
				launch_fill(b, f->path, new_array(&in.a, uint64_t, 64), NULL, &in.a, &in.d);
		}
	}
	fuzz_end(&in);
	return 0;
}
