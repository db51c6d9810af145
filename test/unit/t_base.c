/* arena, bitset, intern, diag, outfile */
#include "analyzer/base/mangled.h"
#include "analyzer/base/near.h"
#include "analyzer/base/text.h"
#include "analyzer/base/bitset.h"
#include "analyzer/base/diag.h"
#include "analyzer/base/intern.h"
#include "analyzer/base/outfile.h"
#include "analyzer/base/ram.h"
#include "analyzer/base/signals.h"
#include "analyzer/base/rng.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *suite_base(void);

START_TEST(arena_memory_is_zeroed_and_aligned_across_chunks)
{
	struct arena a;

	arena_init(&a);
	a.block_bytes = 64;
	for (int round = 0; round < 3; round++) {
		for (size_t n = 1; n < 300; n++) {
			unsigned char *p = arena_alloc(&a, n, 16);

			ck_assert_uint_eq((uintptr_t)p % 16, 0);
			for (size_t i = 0; i < n; i++)
				ck_assert_uint_eq(p[i], 0);
			memset(p, 0xa5, n);
		}
		arena_reset(&a);
	}
	arena_free(&a);
}
END_TEST

START_TEST(only_raw_arena_memory_holds_what_was_there_before_a_reset)
{
	struct arena a;
	unsigned char *p;

	arena_init(&a);
	memset(new_array(&a, unsigned char, 40), 0xff, 40);
	arena_reset(&a);
	memset(new_array_raw(&a, unsigned char, 8), 0xee, 8);
	arena_reset(&a); /* bytes 8 to 40 are of the first time still */
	p = new_array_raw(&a, unsigned char, 16);
	ck_assert_uint_eq(p[7], 0xee);
	ck_assert_uint_eq(p[15], 0xff);
	p = new_array(&a, unsigned char, 32); /* some bytes of which were never used */
	for (unsigned i = 0; i < 32; i++)
		ck_assert_uint_eq(p[i], 0);
	arena_free(&a);
}
END_TEST

START_TEST(a_recycled_arena_asks_for_memory_no_more)
{
	struct arena a;

	arena_init(&a);
	for (int round = 0; round < 4; round++) {
		const void *first = a.top;

		for (size_t n = 1; n < 5000; n++) {
			unsigned char *p = arena_alloc(&a, n, 16);

			ck_assert(p[0] == 0 && p[n - 1] == 0 && p[n / 2] == 0);
			memset(p, 0xa5, n);
		}
		if (round >= 2) /* one chunk since the second round */
			ck_assert(a.top == first);
		arena_recycle(&a);
		ck_assert_uint_eq(a.total_bytes, 0);
	}
	arena_free(&a);
}
END_TEST

START_TEST(a_size_that_the_user_chose_may_fail)
{
	struct arena a;

	arena_init(&a);
	ck_assert_ptr_null(arena_try_alloc(&a, SIZE_MAX - 8, 1));
	ck_assert_ptr_nonnull(arena_try_alloc(&a, 8, 8)); /* and the arena is as good as before */
	arena_free(&a);
}
END_TEST

START_TEST(arena_grow_keeps_the_elements)
{
	struct arena a;
	uint32_t *v = NULL, n = 0, cap = 0;

	arena_init(&a);
	for (uint32_t i = 0; i < 1000; i++) {
		arena_grow(&a, v, n, cap);
		v[n++] = i * 3;
	}
	for (uint32_t i = 0; i < n; i++)
		ck_assert_uint_eq(v[i], i * 3);
	arena_free(&a);
}
END_TEST

START_TEST(bitset_next_visits_exactly_the_members)
{
	struct arena a;
	uint64_t *s, seed = 7;
	bool want[200] = { false };
	uint32_t i, count = 0;

	arena_init(&a);
	s = bitset_new(&a, 200);
	for (int k = 0; k < 60; k++) {
		i = rng_below(&seed, 200);
		want[i] = true;
		bitset_add(s, i);
	}
	for (i = bitset_next(s, 0, 200); i < 200; i = bitset_next(s, i + 1, 200)) {
		ck_assert(want[i]);
		want[i] = false;
		count++;
	}
	for (i = 0; i < 200; i++)
		ck_assert(!want[i]);
	ck_assert_uint_eq(count, bitset_count(s, 200));
	arena_free(&a);
}
END_TEST

START_TEST(intern_gives_equal_text_one_id)
{
	struct arena a;
	struct intern t;
	char name[16];

	arena_init(&a);
	intern_init(&t, &a);
	for (unsigned i = 0; i < 500; i++) {
		int n = snprintf(name, sizeof name, "r%u", i);

		ck_assert_uint_eq(intern_find(&t, name, (size_t)n), INTERN_NONE);
		ck_assert_uint_eq(intern_id(&t, name, (size_t)n), i);
	}
	ck_assert_uint_eq(intern_id(&t, "r1", 2), 1);
	ck_assert_uint_eq(intern_id(&t, "r123", 3), 12); /* a prefix is another string */
	arena_free(&a);
}
END_TEST

START_TEST(an_error_shows_line_column_and_caret)
{
	struct source s = { "k.ptx", "one\n\tadd.u32 %r1;\n", 18 };
	struct diag d;

	diag_init(&d, NULL);
	ck_assert(!diag_error(&d, (struct loc){ &s, 13 }, "register %s is not declared", "%r1"));
	ck_assert_str_eq(d.last, "k.ptx:2:10: error: register %r1 is not declared\n\tadd.u32 %r1;\n\t        ^\n");
	ck_assert_uint_eq(d.errors, 1);
	diag_error(&d, (struct loc){ &s, 99 }, "past the end is the end");
	ck_assert(strstr(d.last, "k.ptx:3:1:"));
	s = (struct source){ "u.yaml", "\xc3\xa4: x", 5 };
	diag_error(&d, (struct loc){ &s, 4 }, "a character is one column");
	ck_assert(strstr(d.last, "\n\xc3\xa4: x\n   ^\n"));
	diag_error_bin(&d, "k.rlo", ".text.k", 16, "truncated");
	ck_assert_str_eq(d.last, "k.rlo: .text.k+0x10: error: truncated\n");
	diag_free(&d);
}
END_TEST

START_TEST(output_appears_whole_or_not_at_all)
{
	char dir[] = "/tmp/regloom-XXXXXX", path[64], text[8] = "";
	struct arena a;
	struct diag d;
	struct outfile o;
	FILE *f;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/out", dir);
	arena_init(&a);
	diag_init(&d, NULL);
	ck_assert(outfile_open(&o, path, &a, &d));
	fputs("half", o.f);
	outfile_discard(&o);
	ck_assert_int_ne(access(path, F_OK), 0);
	ck_assert(outfile_open(&o, path, &a, &d));
	fputs("whole", o.f);
	ck_assert_int_ne(access(path, F_OK), 0);
	ck_assert(outfile_commit(&o));
	f = fopen(path, "r");
	ck_assert(fgets(text, sizeof text, f) != NULL);
	fclose(f);
	ck_assert_str_eq(text, "whole");
	unlink(path);
	ck_assert(outfile_open(&o, path, &a, &d));
	fputs("never", o.f);
	outfile_abandon();
	ck_assert_int_ne(access(o.temp, F_OK), 0);
	outfile_discard(&o);
	ck_assert_int_eq(rmdir(dir), 0); /* no temporary file left */
	ck_assert(!outfile_open(&o, "/nonexistent/dir/x", &a, &d));
	/* a device is written in place; a failure is reported */
	ck_assert(outfile_open(&o, "/dev/full", &a, &d));
	fputs("x", o.f);
	ck_assert(!outfile_commit(&o));
	diag_free(&d);
	arena_free(&a);
}
END_TEST

/* Each byte that is no part of a character that may be shown, by itself. */
/* A folder of its own, with an arena and silent messages. */
struct files {
	char dir[32];
	struct arena a;
	struct diag d;
};

static void files_begin(struct files *x)
{
	strcpy(x->dir, "/tmp/regloom-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(x->dir));
	arena_init(&x->a);
	diag_init(&x->d, NULL);
}

static const char *in(struct files *x, const char *name) { return arena_printf(&x->a, "%s/%s", x->dir, name); }

static int lock_new(struct files *x, const char *name)
{
	int fd = open(in(x, name), O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	return fd;
}

static void write_word(struct files *x, const char *name, const char *word)
{
	struct outfile o;

	ck_assert(outfile_open(&o, in(x, name), &x->a, &x->d));
	fputs(word, o.f);
	ck_assert(outfile_commit(&o));
}

static void check_word(struct files *x, const char *name, const char *word)
{
	FILE *f = fopen(in(x, name), "r");
	char text[32] = "";

	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(text, sizeof text, f));
	fclose(f);
	ck_assert_str_eq(text, word);
}

static mode_t mode_of(struct files *x, const char *name)
{
	struct stat st;

	ck_assert_int_eq(lstat(in(x, name), &st), 0);
	return st.st_mode;
}

/* Removes it and these files, which are all that is there. */
static void files_end(struct files *x, const char *const *name)
{
	for (; *name; name++)
		ck_assert_int_eq(unlink(in(x, *name)), 0);
	ck_assert_int_eq(rmdir(x->dir), 0);
	diag_free(&x->d);
	arena_free(&x->a);
}

/* From now on no file of this process is without a name, as on NFS. */
static void deny_unnamed(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog all = { sizeof code / sizeof *code, code };

	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all), 0);
}

/* In a child: writes half a file and is killed, or hears of a signal first. */
static void die_writing(struct files *x, const char *name, bool heard)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct outfile o;

		deny_unnamed();
		signal(SIGHUP, SIG_DFL); /* whoever runs the tests may ignore it */
		if (heard)
			signals_end();
		if (!outfile_open(&o, in(x, name), &x->a, &x->d) || fputs("half", o.f) < 0 || fflush(o.f) != 0)
			_exit(1);
		raise(heard ? SIGHUP : SIGKILL);
		_exit(2);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status));
	ck_assert_int_eq(WTERMSIG(status), heard ? SIGHUP : SIGKILL);
}

static unsigned count_files(struct files *x)
{
	DIR *d = opendir(x->dir);
	unsigned n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

START_TEST(outfile_keeps_a_files_mode_and_owner_and_follows_links)
{
	struct files x;

	files_begin(&x);
	umask(022);
	write_word(&x, "new", "new");
	ck_assert_uint_eq(mode_of(&x, "new"), S_IFREG | 0644);
	ck_assert_int_eq(chmod(in(&x, "new"), 0640), 0);
	ck_assert(geteuid() != 0 || chown(in(&x, "new"), 12, 34) == 0);
	ck_assert_int_eq(symlink("new", in(&x, "link")), 0);
	ck_assert_int_eq(symlink(in(&x, "link"), in(&x, "second")), 0);
	write_word(&x, "second", "again");
	check_word(&x, "new", "again");
	ck_assert_uint_eq(mode_of(&x, "new"), S_IFREG | 0640);
	if (geteuid() == 0) {
		struct stat st;

		ck_assert_int_eq(stat(in(&x, "new"), &st), 0);
		ck_assert_uint_eq(st.st_uid, 12);
		ck_assert_uint_eq(st.st_gid, 34);
	}
	ck_assert(S_ISLNK(mode_of(&x, "link")) && S_ISLNK(mode_of(&x, "second")));
	ck_assert_int_eq(unlink(in(&x, "new")), 0);
	write_word(&x, "link", "made"); /* what it leads to is not there */
	check_word(&x, "new", "made");
	ck_assert(S_ISLNK(mode_of(&x, "link")));
	ck_assert_int_eq(unlink(in(&x, "new")), 0);
	ck_assert_int_eq(symlink("second", in(&x, "new")), 0); /* a ring */
	ck_assert(!outfile_open(&(struct outfile){ 0 }, in(&x, "link"), &x.a, &x.d));
	files_end(&x, (const char *const[]){ "new", "link", "second", NULL });
}
END_TEST

START_TEST(outfile_writes_to_descriptors_in_place)
{
	struct outfile o;
	struct files x;
	int fd;

	files_begin(&x);
	fd = open(in(&x, "log"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_eq(write(fd, "one ", 4), 4);
	ck_assert(outfile_open(&o, arena_printf(&x.a, "/dev/fd/%d", fd), &x.a, &x.d));
	fputs("two ", o.f);
	ck_assert(outfile_commit(&o));
	ck_assert(outfile_open(&o, arena_printf(&x.a, "/proc/self/fd/%d", fd), &x.a, &x.d));
	fputs("three", o.f);
	outfile_discard(&o); /* what went into it stays */
	check_word(&x, "log", "one two three");
	close(fd);
	ck_assert(!outfile_open(&o, arena_printf(&x.a, "/dev/fd/%d", fd), &x.a, &x.d));
	files_end(&x, (const char *const[]){ "log", NULL });
}
END_TEST

START_TEST(outfile_has_no_name_until_it_is_whole)
{
	struct outfile o;
	struct files x;

	files_begin(&x);
	ck_assert(outfile_open(&o, in(&x, "x"), &x.a, &x.d));
	if (*o.temp) { /* this file system has no such files */
		outfile_discard(&o);
	} else {
		ck_assert_uint_eq(count_files(&x), 0);
		ck_assert(outfile_commit(&o));
		ck_assert_uint_eq(count_files(&x), 1);
		write_word(&x, "x", "again");
		ck_assert_uint_eq(count_files(&x), 1);
		unlink(in(&x, "x"));
	}
	files_end(&x, (const char *const[]){ NULL });
}
END_TEST

START_TEST(outfile_removes_what_killed_writers_left_and_nothing_else)
{
	struct outfile o;
	struct files x;
	int live, dead;

	files_begin(&x);
	ck_assert(outfile_open(&o, "/tmp/another-folder", &x.a, &x.d));
	outfile_discard(&o);
	live = lock_new(&x, "a.regloom-abcdef");
	dead = lock_new(&x, "b.regloom-abcdef");
	close(lock_new(&x, "mine.backup"));
	close(lock_new(&x, "mine.regloom-ABCDEF"));
	ck_assert_int_eq(symlink("mine.backup", in(&x, "c.regloom-abcdef")), 0);
	outfile_sweep(x.dir);
	ck_assert_uint_eq(count_files(&x), 5);
	close(dead);
	outfile_sweep(x.dir);
	ck_assert_uint_eq(count_files(&x), 4);
	die_writing(&x, "y", false); /* its own sweep leaves the one that is locked */
	ck_assert_uint_eq(count_files(&x), 5);
	die_writing(&x, "y", false);
	ck_assert_uint_eq(count_files(&x), 5);
	write_word(&x, "z", "next"); /* so does the first output in this folder */
	close(live);
	files_end(&x, (const char *const[]){ "a.regloom-abcdef", "mine.backup", "mine.regloom-ABCDEF",
					     "c.regloom-abcdef", "z", NULL });
}
END_TEST

START_TEST(a_process_that_hears_of_its_end_leaves_no_file)
{
	struct files x;

	files_begin(&x);
	die_writing(&x, "y", true);
	files_end(&x, (const char *const[]){ NULL });
}
END_TEST

START_TEST(text_from_a_file_moves_no_cursor)
{
	static const struct {
		const char *in, *shown, *masked;
	} try[] = {
		{ "plain \303\251 \342\202\254 \360\237\230\200", "plain \303\251 \342\202\254 \360\237\230\200",
		  "plain \303\251 \342\202\254 \360\237\230\200" },
		{ "\033[31m\r\177", "\\x1b[31m\\x0d\\x7f", "?[31m??" },
		{ "a\tb\nc", "a\\x09b\nc", "a\tb?c" },
		{ "\302\233K", "\\xc2\\x9bK", "??K" }, /* U+009B, the control sequence introducer */
		/* cut; longer than it need be */
		{ "\302", "\\xc2", "?" },
		{ "\300\200", "\\xc0\\x80", "??" },
		{ "\340\200\233", "\\xe0\\x80\\x9b", "???" },
		{ "\355\240\200", "\\xed\\xa0\\x80", "???" },
		{ "\364\220\200\200", "\\xf4\\x90\\x80\\x80", "????" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof try / sizeof *try; i++) {
		char *masked = arena_strndup(&a, try[i].in, strlen(try[i].in));

		text_mask(masked, strlen(masked));
		ck_assert_str_eq(text_shown(&a, try[i].in, strlen(try[i].in), "\n"), try[i].shown);
		ck_assert_str_eq(masked, try[i].masked);
	}
	arena_free(&a);
}
END_TEST

START_TEST(an_error_shows_no_control_character)
{
	struct source s = { "k\033.ptx", "ab\033c\200 x\n", 8 };
	struct diag d;

	diag_init(&d, NULL);
	diag_error(&d, (struct loc){ &s, 6 }, "no '%s'", "\r");
	ck_assert_str_eq(d.last, "k\\x1b.ptx:1:7: error: no '\\x0d'\nab?c? x\n      ^\n");
	diag_free(&d);
}
END_TEST

static const char *name_of(unsigned i)
{
	static const char *const names[] = { "listing", NULL, "max-registers", "max-live", "split-lrf+orf" };

	return names[i];
}

/* A word of a name, the words in another order, few edits, letters left out; nothing of what is unlike. */
START_TEST(names_that_may_be_meant)
{
	static const struct {
		const char *given, *meant;
	} try[] = {
		{ "registers", "max-registers" },
		{ "orf+lrf-split", "split-lrf+orf" },
		{ "listin", "listing" },
		{ "max-regs", "max-registers" },
		{ "lst", "listing" },
		{ "mx-lv", "max-live" },
		{ "sgn", NULL },
		{ "lt", NULL },
		{ "zzz", NULL },
		{ "regs-max", NULL },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof try / sizeof *try; i++) {
		const char *text = near_list(try[i].given, name_of, 5, &a),
			   *all = "listing, max-registers, max-live or split-lrf+orf";

		ck_assert_str_eq(text,
				 try[i].meant ? arena_printf(&a, "%s; did you mean %s?", all, try[i].meant) : all);
	}
	arena_free(&a);
}
END_TEST

START_TEST(base_names_of_paths)
{
	ck_assert_str_eq(loc_base_name("/usr/include/device_atomic_functions.hpp:202"),
			 "device_atomic_functions.hpp:202");
	ck_assert_str_eq(loc_base_name("k.ptx:4:2"), "k.ptx:4:2");
	ck_assert_str_eq(loc_base_name("folder/"), "folder/");
	ck_assert_str_eq(loc_base_name(""), "");
}
END_TEST

static const struct {
	const char *symbol, *name;
} mangled[] = {
	{ "sgemm", "sgemm" },
	{ "_Z", "_Z" },
	{ "", "" },
	{ "_Z4spmviPKiS0_PKdS2_Pd", "spmv" },
	{ "_Z3dot6float3S_", "dot" }, /* an argument's type is a name, too */
	{ "_Z3hitRK6Sphere6float3S2_Rf", "hit" },
	{ "_Z5traceI6TexSkyE6float3PK6SphereiS1_S1_T_Ri", "trace" },
	{ "_Zmi6float3S_", "operator-" },
	{ "_Zls6float3i", "operator<<" },
	{ "_ZNK6TexSkyclE6float3", "TexSky::operator()" },
	{ "_ZNK3VeccvT_IfEEv", "Vec::operator TYPE" },
	{ "_ZN1a1b1cEv", "c" },
	{ "_ZN3FooIiLi128EE3barILb1EEEvT_", "bar" },
	{ "_ZN3FooI3BazIL4Case1EPFviE3QuxEE3barEv", "bar" },
	{ "_ZN36_INTERNAL_3d57d088_6_ray_cu_0a0a139a12tex2DLayeredI6float4EEN15__nv_itex_traitIT_E4typeEPS3_yffi",
	  "tex2DLayered" },
	{ "_ZN3FooC1Ei", "Foo" },
	{ "_ZN3FooD2Ev", "~Foo" },
	{ "_ZNSt6vectorIiSaIiEE9push_backEOi", "push_back" },
	{ "_ZSt4moveIRiEvOT_", "move" },
	{ "_ZL6hiddenv", "hidden" },
	{ "_ZZ4mainENKUliE_clEi", "lambda" },
	{ "_ZZN1a1fEiENK5Local3runEv", "run" },
	{ "_ZN1aB5cxx111fB3tagEv", "f" },
	{ "_ZN1aIDF16_DhDv4_fA3_iM1bFvvES0_E1fEv", "f" },
	{ "_ZN1aIXadL_Z1gvEEE1fEv", "_ZN1aIXadL_Z1gvEEE1fEv" },
	{ "_ZN1a", "_ZN1a" },
	/* one step for each */
	{ "_ZN1acv"
	  "T_IT_IT_IT_IT_IT_IT_IT_IT_IT_IT_IT_IT_IT_IT_I"
	  "T_IT_IT_IT_IT_IT_IT_IT_IT_IT_IT_IT_IT_IT_IT_I"
	  "i"
	  "EEEEEEEEEEEEEEEEEEEEEEEEEEEEEE"
	  "Ev",
	  "a::operator TYPE" },
	{ "_Z99abc", "_Z99abc" },
};

START_TEST(the_name_in_a_mangled_one)
{
	char out[64], deep[1000] = "_ZN1aI";
	uint64_t rng = 3;

	for (size_t i = 0; i < sizeof mangled / sizeof *mangled; i++) {
		ck_assert_uint_eq(mangled_name(mangled[i].symbol, out, sizeof out), strlen(out));
		if (strlen(mangled[i].name) < sizeof out)
			ck_assert_str_eq(out, mangled[i].name);
		ck_assert_uint_lt(mangled_name(mangled[i].symbol, out, 3), 3);
	}
	memset(deep + 6, 'P', sizeof deep - 7);
	for (unsigned kind = 0; kind < 5; kind++) { /* deeper than anyone looks */
		for (size_t n = 6; n + 4 < sizeof deep; n += 3)
			memcpy(deep + n, &"FP1A1_N1aZ1aI1a"[3 * kind], 3);
		mangled_name(deep, out, sizeof out);
	}
	for (unsigned n = 0; n < 20000; n++) {
		char *text = strdup(mangled[n % (sizeof mangled / sizeof *mangled)].symbol);
		const size_t bytes = strlen(text);

		for (unsigned k = rng_below(&rng, 4); bytes && k--;)
			text[rng_below(&rng, (unsigned)bytes)] =
				"_ZNESTDILFAMUJKPCclv0123456789xads"[rng_below(&rng, 34)];
		mangled_name(text, out, sizeof out);
		free(text);
	}
}
END_TEST

static void write_text(const char *folder, const char *name, const char *text)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

/* The least of the machine's memory and what the groups above the process may have, in both versions; three quarters of
 * it. */
START_TEST(a_share_of_memory_is_that_of_the_control_group)
{
	char root[] = "/tmp/regloom-test-XXXXXX", groups[300], path[300];
	static const char *const folder[] = { "", "/a", "/a/b", "/memory", "/memory/c" };

	ck_assert_ptr_nonnull(mkdtemp(root));
	for (unsigned i = 1; i < 5; i++) {
		snprintf(path, sizeof path, "%s%s", root, folder[i]);
		ck_assert_int_eq(mkdir(path, 0700), 0);
	}
	snprintf(groups, sizeof groups, "%s/groups", root);
	ck_assert_uint_eq(ram_share_of(4000, groups, root), 3000); /* no such file */
	write_text(root, "groups", "1:cpu:/a/b\n0::/a/b\n");
	write_text(root, "a/b/memory.max", "max\n");
	ck_assert_uint_eq(ram_share_of(4000, groups, root), 3000);
	write_text(root, "a/memory.max", "800\n");
	ck_assert_uint_eq(ram_share_of(4000, groups, root), 600);
	write_text(root, "memory.max", "400\n"); /* the root of a container */
	ck_assert_uint_eq(ram_share_of(4000, groups, root), 300);
	ck_assert_uint_eq(ram_share_of(40, groups, root), 30);
	write_text(root, "groups", "5:cpu,cpuacct:/c\n4:memory:/c\n");
	write_text(root, "memory/c/memory.limit_in_bytes", "1200\n");
	ck_assert_uint_eq(ram_share_of(4000, groups, root), 900);
	snprintf(path, sizeof path, "rm -r %s", root);
	ck_assert_int_eq(system(path), 0);
}
END_TEST

struct asking {
	atomic_bool begun, ended;
	unsigned refused;
};

static void *ask_for_too_much(void *ctx)
{
	struct asking *x = ctx;

	atomic_store(&x->begun, true);
	for (unsigned i = 0; i < 4000000; i++)
		x->refused += !ram_count(1 << 20);
	atomic_store(&x->ended, true);
	return NULL;
}

START_TEST(what_one_thread_is_refused_others_have)
{
	struct asking x = { .refused = 0 };
	unsigned small = 0;
	pthread_t t;

	ram_limit(1 << 19);
	ck_assert_int_eq(pthread_create(&t, NULL, ask_for_too_much, &x), 0);
	while (!atomic_load(&x.begun))
		;
	while (!atomic_load(&x.ended)) {
		if (ram_count(100))
			ram_uncount(100);
		else
			small++;
	}
	pthread_join(t, NULL);
	ram_limit(0);
	ck_assert_uint_eq(x.refused, 4000000);
	ck_assert_uint_eq(small, 0);
}
END_TEST

START_TEST(memory_beyond_the_limit_is_refused_and_said)
{
	struct arena a;
	char why[RAM_TEXT];

	arena_init(&a);
	ram_limit(64 << 20);
	ck_assert_ptr_nonnull(arena_try_alloc(&a, 40 << 20, 1));
	ck_assert_ptr_null(arena_try_alloc(&a, 30 << 20, 1));
	ck_assert_str_eq(ram_why(why), "the limit of 64 MiB is reached; --max-memory MIB sets another, 0 none");
	ck_assert_int_eq(ram_exit(1), RAM_EXIT);
	ck_assert_int_eq(ram_exit(2), 2);
	ck_assert(!ram_count(30 << 20) && ram_count(20 << 20));
	ck_assert(ram_left() < 4 << 20);
	ram_uncount(20 << 20);
	arena_free(&a); /* and what is given back can be had again */
	ck_assert_uint_eq(ram_left(), 64 << 20);
	ck_assert_ptr_nonnull(arena_try_alloc(&a, 60 << 20, 1));
	arena_free(&a);
	ck_assert(ram_limit_mib(0) && ram_limited() == 0 && ram_left() == UINT64_MAX);
	ck_assert(!ram_limit_mib((1 << 30) + 1));
}
END_TEST

Suite *suite_base(void)
{
	Suite *s = suite_create("base");
	TCase *t = tcase_create("base");

	tcase_add_test(t, arena_memory_is_zeroed_and_aligned_across_chunks);
	tcase_add_test(t, only_raw_arena_memory_holds_what_was_there_before_a_reset);
	tcase_add_test(t, a_recycled_arena_asks_for_memory_no_more);
	tcase_add_test(t, a_size_that_the_user_chose_may_fail);
	tcase_add_test(t, arena_grow_keeps_the_elements);
	tcase_add_test(t, bitset_next_visits_exactly_the_members);
	tcase_add_test(t, intern_gives_equal_text_one_id);
	tcase_add_test(t, an_error_shows_line_column_and_caret);
	tcase_add_test(t, output_appears_whole_or_not_at_all);
	tcase_add_test(t, outfile_keeps_a_files_mode_and_owner_and_follows_links);
	tcase_add_test(t, outfile_writes_to_descriptors_in_place);
	tcase_add_test(t, outfile_has_no_name_until_it_is_whole);
	tcase_add_test(t, outfile_removes_what_killed_writers_left_and_nothing_else);
	tcase_add_test(t, a_process_that_hears_of_its_end_leaves_no_file);
	tcase_add_test(t, text_from_a_file_moves_no_cursor);
	tcase_add_test(t, an_error_shows_no_control_character);
	tcase_add_test(t, names_that_may_be_meant);
	tcase_add_test(t, base_names_of_paths);
	tcase_add_test(t, a_share_of_memory_is_that_of_the_control_group);
	tcase_add_test(t, memory_beyond_the_limit_is_refused_and_said);
	tcase_add_test(t, what_one_thread_is_refused_others_have);
	tcase_add_test(t, the_name_in_a_mangled_one);
	suite_add_tcase(s, t);
	return s;
}
