/* Tells the kinds of input apart and turns each into PTX or machine code. */
#include "analyzer/lib/input.h"

#include "analyzer/base/near.h"
#include "analyzer/base/outfile.h"
#include "analyzer/cubin/cubin.h"
#include "analyzer/fatbin/fatbin.h"
#include "analyzer/llvm/llvm.h"

#include <string.h>

const struct annotate_view_info annotate_input_info[INPUT_COUNT] = {
#define I(id, text, meaning) [INPUT_##id] = { text, meaning },
	ANNOTATE_INPUTS(I)
#undef I
};

enum annotate_input annotate_input_find(const char *name)
{
	return names_find(NAMES_IN(annotate_input_info, name), name);
}

static bool starts(const char *s, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - s) >= n && memcmp(s, word, n) == 0;
}

/* IR: the first line that is neither blank nor a comment of PTX starts with one of its words, or with its comment. */
static bool is_ll(const struct source *s)
{
	static const char *const word[] = {
		"target ", "source_filename", "define ",    "declare ", "@", "%",
		"!",       "attributes ",     "module asm", "$",        "^", ";",
	};
	const char *p = s->text, *end = s->text + s->len;
	size_t n = strlen(s->name);

	while (p < end) {
		if (strchr(" \t\r\n", *p) && *p) {
			p++;
		} else if (starts(p, end, "//")) {
			p = memchr(p, '\n', (size_t)(end - p));
			p = p ? p : end;
		} else if (starts(p, end, "/*")) {
			p = memmem(p + 2, (size_t)(end - p) - 2, "*/", 2);
			p = p ? p + 2 : end;
		} else {
			break;
		}
	}
	if (starts(p, end, "@@"))
		return false; /* @@DWARF of the first PTX versions */
	for (size_t i = 0; i < sizeof word / sizeof *word; i++)
		if (starts(p, end, word[i]))
			return true;
	return n > 3 && strcmp(s->name + n - 3, ".ll") == 0 && !starts(p, end, ".");
}

enum annotate_input input_guess(const struct source *s)
{
	if (llvm_is_bitcode(s))
		return INPUT_BC;
	if (cubin_is(s->text, s->len))
		return INPUT_CUBIN;
	if (fatbin_is(s) || fatbin_is_elf(s))
		return INPUT_FATBIN;
	if (s->len >= 4 && memcmp(s->text, "\177ELF", 4) == 0)
		return INPUT_OBJECT;
	return is_ll(s) ? INPUT_LL : INPUT_PTX;
}

enum { ELF_HEADER = 64 };

/* What people have before they have PTX. */
static const struct {
	const char *end, *what, *make;
} source_kind[] = {
	{ ".cu", "CUDA C++", "nvcc -ptx -lineinfo" },
	{ ".cuh", "CUDA C++", "nvcc -ptx -lineinfo" },
	{ ".cl", "OpenCL C", "clang -x cl -target nvptx64-nvidia-cuda -O2 -gline-directives-only -S" },
};

static bool ends(const char *name, const char *end)
{
	size_t n = strlen(name), e = strlen(end);

	return n > e && strcmp(name + n - e, end) == 0;
}

/* What the first bytes are, where the name promises another kind of file, or nothing that is read here. */
static bool is_text(const struct source *s, struct diag *d)
{
	static const char elf[] = "7f 45 4c 46 (ELF)";
	static const struct {
		const char *end, *begins;
	} binary[] = {
		{ ".cubin", elf }, { ".fatbin", "50 ed 55 ba (fatbin)" },   { ".o", elf }, { ".so", elf },
		{ ".rlo", elf },   { ".bc", "42 43 c0 de (LLVM bitcode)" },
	};
	char bytes[3 * 4 + 1] = "";
	size_t at = 0;

	while (at < s->len && ((unsigned char)s->text[at] >= ' ' || strchr("\t\n\v\f\r", s->text[at])) &&
	       s->text[at] != '\177' && s->text[at])
		at++;
	if (!s->len)
		return diag_error_plain(d, s->name, "is empty");
	for (size_t i = 0; i < s->len && i < 4; i++)
		sprintf(bytes + 3 * i, " %02x", (unsigned)(unsigned char)s->text[i]);
	if (at < s->len)
		return diag_error_plain(d, s->name,
					"is nothing that is read here: it begins with%s, not with 7f 45 4c 46 (ELF: "
					"cubins, objects, executables), "
					"50 ed 55 ba (fatbins) or 42 43 c0 de (LLVM bitcode), and is no text",
					bytes);
	for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
		if (ends(s->name, binary[i].end))
			return diag_error_plain(d, s->name,
						"is text without .version, so no PTX, and not what its name says: it "
						"begins with%s, not with %s",
						bytes, binary[i].begins);
	return true;
}

/* PTX, as far as a look tells: it has a .version. */
static bool looks_like_ptx(const struct source *s, struct diag *d)
{

	if (memmem(s->text, s->len, ".version", strlen(".version")))
		return true;
	for (size_t k = 0; s->len && k < sizeof source_kind / sizeof *source_kind; k++)
		if (ends(s->name, source_kind[k].end))
			return diag_error_plain(d, s->name, "is %s: %s makes the PTX that is read here",
						source_kind[k].what, source_kind[k].make);
	return is_text(s, d);
}

/* Options that mean nothing for this kind would be ignored silently. */
static bool options_fit(const struct annotate_job *job, enum annotate_input kind, const struct source *s,
			struct diag *d)
{
	bool ir = kind == INPUT_LL || kind == INPUT_BC, fatbin = kind == INPUT_FATBIN;
	const char *what = annotate_input_info[kind].what;

	if (job->level >= 0 && !ir)
		return diag_error_plain(d, s->name, "is %s: -O is for LLVM IR", what);
	if (job->sm && !ir && !fatbin)
		return diag_error_plain(d, s->name, "is %s: its architecture is fixed, --sm says nothing about it",
					what);
	if (job->code != FATBIN_CODE_ANY && !fatbin && (job->code == FATBIN_CODE_SASS) != (kind == INPUT_CUBIN))
		return diag_error_plain(d, s->name, "is %s: --code=%s chooses among what a fatbin holds", what,
					job->code == FATBIN_CODE_SASS ? "sass" : "ptx");
	if (job->module && !fatbin)
		return diag_error_plain(d, s->name, "is %s: it holds one module", what);
	if (job->list && !fatbin && kind != INPUT_CUBIN)
		return diag_error_plain(d, s->name, "is %s: --list is for fatbins and cubins", what);
	if (job->save_ptx && !ir && !fatbin)
		return diag_error_plain(d, s->name, "is %s: no PTX is made of it", what);
	if (kind == INPUT_BC && !llvm_is_bitcode(s))
		return diag_error_bin(d, s->name, NULL, 0, "is not LLVM bitcode");
	if (kind == INPUT_LL && llvm_is_bitcode(s))
		return diag_error_bin(d, s->name, NULL, 0, "is LLVM bitcode, not text");
	return true;
}

/* Of a fatbin or of a cubin. */
static bool write_list(const struct fatbin *f, const struct cubin *c, const struct annotate_job *job, struct arena *a,
		       struct diag *d)
{
	struct outfile out;

	if (!outfile_open(&out, job->output, a, d))
		return false;
	if (c ? cubin_list(out.f, c, job->list_json, a) || diag_error_plain(d, c->name, "the list could not be written")
	      : fatbin_list(out.f, f, job->list_json, a, d))
		return outfile_commit(&out);
	outfile_discard(&out);
	return false;
}

/* The saved file is the one that later diagnostics name. */
static bool save(struct source *ptx, const char *path, struct arena *a, struct diag *d)
{
	struct outfile out;

	if (!outfile_open(&out, path, a, d))
		return false;
	fwrite(ptx->text, 1, ptx->len, out.f);
	if (!outfile_commit(&out))
		return false;
	ptx->name = arena_strndup(a, path, strlen(path));
	return true;
}

bool input_read(struct source *src, enum annotate_input *out, const char **also, const struct annotate_job *job,
		struct arena *a, struct diag *d)
{
	struct source in;
	const struct cubin *cubin;
	struct fatbin f;
	enum annotate_input kind;
	bool ok = true;

	if (!source_read(&in, job->input, a, d))
		return false;
	kind = job->kind == INPUT_AUTO ? input_guess(&in) : job->kind;
	*out = kind == INPUT_OBJECT || kind == INPUT_CUBIN ? kind : INPUT_PTX;
	*src = in;
	*also = NULL;
	if (in.len < ELF_HEADER && in.len >= 4 && memcmp(in.text, "\177ELF", 4) == 0)
		return diag_error_bin(d, in.name, NULL, in.len, "the ELF header is cut: it has 64 bytes");
	if ((kind == INPUT_PTX && !looks_like_ptx(&in, d)) || !options_fit(job, kind, &in, d))
		return false;
	if (kind == INPUT_LL || kind == INPUT_BC) {
		struct llvm_options o = { job->level < 0 ? 2 : (unsigned)job->level, job->sm };

		ok = llvm_to_ptx(src, &in, &o, a, d);
	} else if (kind == INPUT_FATBIN) {
		struct fatbin_choice c = { .module = job->module,
					   .sm = job->sm,
					   .kernel = job->kernel,
					   .code = job->save_ptx ? FATBIN_CODE_PTX : job->code };
		enum fatbin_kind chosen = FATBIN_PTX;

		ok = fatbin_read(&f, &in, a, d) &&
		     (job->list ? write_list(&f, NULL, job, a, d) : fatbin_choose(src, &chosen, &f, &c, a, d));
		*out = chosen == FATBIN_CUBIN ? INPUT_CUBIN : INPUT_PTX;
		*also = ok ? fatbin_also(&f, chosen, &c, a) : NULL;
	} else if (kind == INPUT_CUBIN && job->list) {
		ok = (cubin = cubin_read(src, a, d)) && write_list(NULL, cubin, job, a, d);
	}
	return ok && (!job->save_ptx || save(src, job->save_ptx, a, d));
}
