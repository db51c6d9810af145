/* Reads optimisation remarks with LLVM's own parser, through its C interface, and writes each as a line of JSON:
 * {"type", "pass", "name", "function", "file", "line", "column", "hotness", "args": [[key, value], ...]}. */
#include <llvm-c/Remarks.h>

#include <stdio.h>
#include <stdlib.h>

static void put_string(const char *s, size_t n)
{
	putchar('"');
	for (size_t i = 0; i < n; i++)
		if (s[i] == '"' || s[i] == '\\' || (unsigned char)s[i] < ' ')
			printf("\\u%04x", (unsigned char)s[i]);
		else
			putchar(s[i]);
	putchar('"');
}

static void put(const char *lead, LLVMRemarkStringRef s)
{
	fputs(lead, stdout);
	put_string(LLVMRemarkStringGetData(s), LLVMRemarkStringGetLen(s));
}

static void put_entry(LLVMRemarkEntryRef e)
{
	static const char *const type[] = {
		[LLVMRemarkTypeUnknown] = "unknown",
		[LLVMRemarkTypePassed] = "Passed",
		[LLVMRemarkTypeMissed] = "Missed",
		[LLVMRemarkTypeAnalysis] = "Analysis",
		[LLVMRemarkTypeAnalysisFPCommute] = "AnalysisFPCommute",
		[LLVMRemarkTypeAnalysisAliasing] = "AnalysisAliasing",
		[LLVMRemarkTypeFailure] = "Failure",
	};
	LLVMRemarkDebugLocRef at = LLVMRemarkEntryGetDebugLoc(e);
	const char *sep = "";

	printf("{\"type\": \"%s\"", type[LLVMRemarkEntryGetType(e)]);
	put(", \"pass\": ", LLVMRemarkEntryGetPassName(e));
	put(", \"name\": ", LLVMRemarkEntryGetRemarkName(e));
	put(", \"function\": ", LLVMRemarkEntryGetFunctionName(e));
	if (at) {
		put(", \"file\": ", LLVMRemarkDebugLocGetSourceFilePath(at));
		printf(", \"line\": %u, \"column\": %u", LLVMRemarkDebugLocGetSourceLine(at),
		       LLVMRemarkDebugLocGetSourceColumn(at));
	}
	printf(", \"hotness\": %llu, \"args\": [", (unsigned long long)LLVMRemarkEntryGetHotness(e));
	for (LLVMRemarkArgRef a = LLVMRemarkEntryGetFirstArg(e); a; a = LLVMRemarkEntryGetNextArg(a, e)) {
		printf("%s[", sep);
		put("", LLVMRemarkArgGetKey(a));
		put(", ", LLVMRemarkArgGetValue(a));
		putchar(']');
		sep = ", ";
	}
	puts("]}");
}

int main(void)
{
	size_t n = 0, cap = 1 << 16;
	char *text = malloc(cap);
	LLVMRemarkParserRef p;
	LLVMRemarkEntryRef e;
	int bad;

	for (size_t got; text && (got = fread(text + n, 1, cap - n, stdin)) > 0;) {
		n += got;
		if (n == cap)
			text = realloc(text, cap *= 2);
	}
	if (!text)
		return 2;
	p = LLVMRemarkParserCreateYAML(text, n);
	while ((e = LLVMRemarkParserGetNext(p))) {
		put_entry(e);
		LLVMRemarkEntryDispose(e);
	}
	bad = LLVMRemarkParserHasError(p);
	if (bad)
		fprintf(stderr, "%s\n", LLVMRemarkParserGetErrorMessage(p));
	LLVMRemarkParserDispose(p);
	free(text);
	return bad;
}
