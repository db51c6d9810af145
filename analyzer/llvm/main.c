/* regloom-llvm: LLVM IR on standard input becomes PTX on standard output. The only program of regloom that uses LLVM;
 * the reader (llvm.c) starts it for each module. A process of its own because LLVM
 *   - takes a hundred times longer to load than the rest of regloom,
 *   - ends its process on a fatal error, and may crash on bitcode that is damaged,
 *   - keeps options and targets in global variables, while our library's calls share no state.
 *
 *   regloom-llvm VERSION LEVEL [SM]      VERSION: of regloom; LEVEL: 0 .. 3; SM: "80", absent: as the module says
 *
 * Exit status 0: standard output is the PTX. 1: it is lines "LINE COLUMN MESSAGE", 0 0 where no place is known. What
 * LLVM itself prints goes to standard error, which has to be a file: warnings found there are refusals too. */
#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define BUFFER_NAME "ir" /* as LLVM's parser names the input in its messages */
#define PTX_KERNEL_CC 71 /* calling convention ptx_kernel */

enum { CPU_SECONDS = 600, TEXT_MAX = 4000 };
#define MEMORY_BYTES ((rlim_t)16 << 30)

/* ptx: 83 for 8.3; 0: none is named */
struct arch {
	unsigned sm, ptx;
	char suffix;
};

#define CANNOT_SELECT "Cannot select: "

/* That message holds addresses of LLVM's nodes, which differ from run to run. */
static const char *skip_address(const char *s, bool nodes)
{
	size_t n = nodes && strncmp(s, "0x", 2) == 0 ? strspn(s + 2, "0123456789abcdef") : 0;

	return n < 8 ? s : s + 2 + n + (s[2 + n] == ':') + (strncmp(s + 2 + n, ": ", 2) == 0);
}

/* One message, its line breaks made spaces. LLVM's own exit would run destructors of half-built objects: leave at
 * once. */
static _Noreturn void refuse(unsigned line, unsigned col, const char *text)
{
	size_t n = strnlen(text, TEXT_MAX);
	bool nodes = strncmp(text, CANNOT_SELECT, sizeof CANNOT_SELECT - 1) == 0;
	const char *end;
	char last = ' ';

	while (n && strchr(" \n", text[n - 1]))
		n--;
	end = text + n;
	printf("%u %u ", line, col);
	for (const char *s = skip_address(text, nodes); s < end; s = skip_address(s + 1, nodes)) {
		char c = strchr("\n\r\t", *s) ? ' ' : *s;

		if (c != ' ' || last != ' ')
			putchar(c);
		last = c;
	}
	/* libclc's and clang's sin and cos are approximations on this target, which only code may use that allows
	 * them */
	if (nodes && (strstr(text, " fsin ") || strstr(text, " fcos ")))
		fputs(" (compile with -ffast-math, OpenCL with -cl-fast-relaxed-math)", stdout);
	putchar('\n');
	fflush(stdout);
	_exit(1);
}

/* What LLVM has printed so far, its first line; NULL: nothing. Static. */
static const char *printed(void)
{
	static char text[TEXT_MAX + 1];
	ssize_t n = pread(STDERR_FILENO, text, TEXT_MAX, 0);

	if (n <= 0)
		return NULL;
	text[n] = 0;
	text[strcspn(text, "\n")] = 0;
	return text;
}

static void on_fatal(const char *reason)
{
	static char text[2 * TEXT_MAX + 3];
	const char *before = printed();

	snprintf(text, sizeof text, "%s%s%s", before ? before : "", before ? ": " : "", reason);
	refuse(0, 0, text);
}

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *unused)
{
	static const char nowhere[] = "<unknown>:0:0: ";
	char *text = LLVMGetDiagInfoDescription(info);

	(void)unused;
	if (LLVMGetDiagInfoSeverity(info) == LLVMDSError)
		refuse(0, 0, strncmp(text, nowhere, sizeof nowhere - 1) == 0 ? text + sizeof nowhere - 1 : text);
	LLVMDisposeMessage(text);
}

/* "ir:3:7: error: expected type\n  text\n  ^" is line 3, column 7, "expected type"; "error: text" has no place. */
static _Noreturn void refuse_parse(const char *text)
{
	static char message[TEXT_MAX + 1];
	unsigned line = 0, col = 0;
	int n = 0;

	if (sscanf(text, BUFFER_NAME ":%u:%u: %n", &line, &col, &n) == 2 && n)
		text += n;
	else if (strncmp(text, BUFFER_NAME ": ", sizeof BUFFER_NAME + 1) == 0)
		text += sizeof BUFFER_NAME + 1;
	if (strncmp(text, "error: ", 7) == 0)
		text += 7;
	snprintf(message, sizeof message, "%.*s", (int)strcspn(text, "\n"), text);
	refuse(line, col, message);
}

static LLVMMemoryBufferRef read_input(void)
{
	LLVMMemoryBufferRef whole, named;
	char *error = NULL;

	if (LLVMCreateMemoryBufferWithSTDIN(&whole, &error))
		refuse(0, 0, error);
	named = LLVMCreateMemoryBufferWithMemoryRangeCopy(LLVMGetBufferStart(whole), LLVMGetBufferSize(whole),
							  BUFFER_NAME);
	LLVMDisposeMemoryBuffer(whole);
	return named;
}

/* The newest architecture and PTX version that functions of the module name, as clang writes them. */
static struct arch module_arch(LLVMModuleRef m)
{
	struct arch a = { 0 };

	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		LLVMAttributeRef cpu = LLVMGetStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, "target-cpu", 10);
		LLVMAttributeRef feature =
			LLVMGetStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, "target-features", 15);
		unsigned n = 0, v;
		const char *s = cpu ? LLVMGetStringAttributeValue(cpu, &n) : "";

		if (n > 3 && n < 9 && memcmp(s, "sm_", 3) == 0) {
			v = (unsigned)strtoul(s + 3, NULL, 10);
			if (v > a.sm)
				a = (struct arch){ v, a.ptx, s[n - 1] >= 'a' && s[n - 1] <= 'z' ? s[n - 1] : 0 };
		}
		s = feature ? LLVMGetStringAttributeValue(feature, &n) : "";
		s = feature && n ? strstr(s, "+ptx") : NULL;
		v = s ? (unsigned)strtoul(s + 4, NULL, 10) : 0;
		if (v > a.ptx)
			a.ptx = v;
	}
	return a;
}

/* The first PTX version that knows an architecture: PTX ISA, release notes. */
static unsigned first_ptx(const struct arch *a)
{
	static const struct {
		unsigned sm, ptx;
	} row[] = {
		{ 53, 42 }, { 62, 50 }, { 70, 60 }, { 72, 61 },  { 75, 63 },  { 80, 70 },
		{ 86, 71 }, { 87, 74 }, { 90, 78 }, { 100, 86 }, { 120, 87 },
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (a->sm <= row[i].sm)
			return a->suffix && a->sm == 90 ? 80 : row[i].ptx;
	return 88;
}

static LLVMTargetMachineRef target_machine(LLVMModuleRef m, const char *sm, unsigned level)
{
	static const LLVMCodeGenOptLevel opt[] = { LLVMCodeGenLevelNone, LLVMCodeGenLevelLess, LLVMCodeGenLevelDefault,
						   LLVMCodeGenLevelAggressive };
	char cpu[32], features[32], why[TEXT_MAX];
	const char *triple = LLVMGetTarget(m);
	struct arch a = module_arch(m);
	LLVMTargetMachineRef tm = NULL;
	LLVMTargetRef t;
	char *error = NULL;

	if (*triple && strncmp(triple, "nvptx", 5) != 0) {
		snprintf(why, sizeof why,
			 "is for %s, and its layout of data with it; compile it with --target=nvptx64-nvidia-cuda",
			 triple);
		refuse(0, 0, why);
	}
	triple = strncmp(triple, "nvptx-", 6) == 0 || strcmp(triple, "nvptx") == 0 ? "nvptx-nvidia-cuda"
										   : "nvptx64-nvidia-cuda";
	if (sm) {
		size_t n = strlen(sm);

		a.sm = (unsigned)strtoul(sm, NULL, 10);
		a.suffix = n && sm[n - 1] >= 'a' && sm[n - 1] <= 'z' ? sm[n - 1] : 0;
	} else if (!a.sm) {
		a.sm = 52; /* as clang: what CUDA 12 compiles for when nothing is said */
	}
	if (a.ptx < first_ptx(&a))
		a.ptx = first_ptx(&a);
	snprintf(cpu, sizeof cpu, a.suffix ? "sm_%u%c" : "sm_%u", a.sm, a.suffix);
	LLVMSetTarget(m, triple);
	if (LLVMGetTargetFromTriple(triple, &t, &error))
		refuse(0, 0, error);
	/* LLVM only warns of a processor or a PTX version that it does not know, and goes on with another. A newer
	 * version than this LLVM has was named by a newer clang: the first that has the processor may do. */
	for (unsigned ptx = a.ptx; !tm; ptx = first_ptx(&a)) {
		snprintf(features, sizeof features, "+ptx%u", ptx);
		tm = LLVMCreateTargetMachine(t, triple, cpu, features, opt[level], LLVMRelocDefault,
					     LLVMCodeModelDefault);
		if (tm && !printed())
			break;
		if (ptx == first_ptx(&a)) {
			snprintf(why, sizeof why, "LLVM %s cannot compile for %s with PTX %u.%u", LLVM_VERSION_TEXT,
				 cpu, ptx / 10, ptx % 10);
			refuse(0, 0, why);
		}
		tm = NULL;
		if (ftruncate(STDERR_FILENO, 0) != 0)
			refuse(0, 0, "standard error is not a file");
	}
	LLVMSetModuleDataLayout(m, LLVMCreateTargetDataLayout(tm));
	return tm;
}

static void verify(LLVMModuleRef m)
{
	char text[TEXT_MAX], *why = NULL, *second;

	if (!LLVMVerifyModule(m, LLVMReturnStatusAction, &why)) {
		LLVMDisposeMessage(why);
		return;
	}
	second = strchr(why, '\n');
	snprintf(text, sizeof text, "the module is not valid: %.*s%s%.*s", (int)strcspn(why, "\n"), why,
		 second && second[1] ? ": " : "", second ? (int)strcspn(second + 1, "\n") : 0,
		 second ? second + 1 + strspn(second + 1, " ") : "");
	refuse(0, 0, text);
}

static void find_kernel(LLVMModuleRef m)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		if (LLVMGetFunctionCallConv(f) == PTX_KERNEL_CC && LLVMGetFirstBasicBlock(f))
			return;
	if (!LLVMGetNamedMetadataNumOperands(m, "nvvm.annotations"))
		refuse(0, 0, "has no kernel: none of its functions is a ptx_kernel or named in !nvvm.annotations");
}

/* CUDA's mathematical functions are a bitcode library of NVIDIA's, which is linked when the module is made. */
static void find_libdevice(LLVMModuleRef m)
{
	char why[TEXT_MAX];

	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		size_t n;
		const char *name = LLVMGetValueName2(f, &n);

		if (!LLVMGetFirstBasicBlock(f) && LLVMGetFirstUse(f) && strncmp(name, "__nv_", 5) == 0) {
			snprintf(why, sizeof why,
				 "calls %s, which it does not define: a function of libdevice, which is linked by the "
				 "compiler "
				 "(-Xclang -mlink-builtin-bitcode -Xclang libdevice.10.bc)",
				 name);
			refuse(0, 0, why);
		}
	}
}

static void optimise(LLVMModuleRef m, LLVMTargetMachineRef tm, unsigned level)
{
	char pipeline[] = "default<O0>";
	LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
	LLVMErrorRef e;

	pipeline[9] = (char)('0' + level);
	e = LLVMRunPasses(m, pipeline, tm, o);
	if (e)
		refuse(0, 0, LLVMGetErrorMessage(e));
	LLVMDisposePassBuilderOptions(o);
}

static void limit(int what, rlim_t to)
{
	struct rlimit r;

	if (getrlimit(what, &r) == 0 && (r.rlim_cur == RLIM_INFINITY || r.rlim_cur > to)) {
		r.rlim_cur = to;
		setrlimit(what, &r);
	}
}

int main(int argc, char **argv)
{
	unsigned level;
	LLVMContextRef context;
	LLVMTargetMachineRef tm;
	LLVMMemoryBufferRef ptx;
	LLVMModuleRef m;
	char *error = NULL;

	if (argc < 3 || argc > 4 || strcmp(argv[1], REGLOOM_VERSION) != 0 || strlen(argv[2]) != 1 || argv[2][0] < '0' ||
	    argv[2][0] > '3') {
		fputs("regloom-llvm (regloom " REGLOOM_VERSION ", LLVM " LLVM_VERSION_TEXT
		      ") is started by ptx-annotate\n",
		      stderr);
		return 2;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* whoever waits for the PTX may be killed */
	level = (unsigned)(argv[2][0] - '0');
	limit(RLIMIT_CPU, CPU_SECONDS);
	limit(RLIMIT_AS, MEMORY_BYTES);
	limit(RLIMIT_CORE, 0);
	LLVMInstallFatalErrorHandler(on_fatal);
	LLVMInitializeNVPTXTargetInfo();
	LLVMInitializeNVPTXTarget();
	LLVMInitializeNVPTXTargetMC();
	LLVMInitializeNVPTXAsmPrinter();
	context = LLVMContextCreate();
	LLVMContextSetDiagnosticHandler(context, on_diagnostic, NULL);
	if (LLVMParseIRInContext(context, read_input(), &m, &error))
		refuse_parse(error);
	verify(m);
	find_kernel(m);
	tm = target_machine(m, argv[3], level);
	optimise(m, tm, level);
	find_libdevice(m);
	if (LLVMTargetMachineEmitToMemoryBuffer(tm, m, LLVMAssemblyFile, &error, &ptx))
		refuse(0, 0, error);
	fwrite(LLVMGetBufferStart(ptx), 1, LLVMGetBufferSize(ptx), stdout);
	_exit(fflush(stdout) == 0 && !ferror(stdout) ? 0 : 2);
}
