/* Any bytes as a fatbin or an ELF file with fatbins: no crash, no hang, no leak; every entry unpacks or is refused. */
#include "analyzer/fatbin/fatbin.h"
#include "test/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct fatbin_choice choice[] = {
		{ .code = FATBIN_CODE_ANY },
		{ .sm = "80", .kernel = "axpy", .code = FATBIN_CODE_ANY },
		{ .module = 1, .code = FATBIN_CODE_ANY },
		{ .sm = "86", .code = FATBIN_CODE_SASS },
		{ .code = FATBIN_CODE_SASS, .sole = true },
	};
	struct fuzz_input x;
	enum fatbin_kind kind;
	struct source code;
	struct fatbin f;

	fuzz_begin(&x, "fuzz", data, size);
	if (fatbin_read(&f, &x.s, &x.a, &x.d)) {
		fatbin_list(x.out, &f, false, &x.a, &x.d);
		fatbin_list(x.out, &f, true, &x.a, &x.d);
		for (size_t c = 0; c < sizeof choice / sizeof *choice; c++)
			fatbin_choose(&code, &kind, &f, &choice[c], &x.a, &x.d);
	}
	fuzz_end(&x);
	return 0;
}
