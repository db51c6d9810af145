/* Sections added to a cubin: nothing that was there moves or changes, adding and taking away undo each other, damage is
 * refused. */
#include "analyzer/cubin/cubin.h"
#include "analyzer/cubin/write.h"
#include "analyzer/fatbin/fatbin.h"

#include <check.h>
#include <gelf.h>
#include <string.h>

Suite *suite_cubin_write(void);

static struct arena a;
static struct diag d;
static const uint8_t *cubin;
static size_t size;

static const struct cubin_addition add[] = { { ".regloom.one", "hello", 5 },
					     { ".regloom.empty", "", 0 },
					     { ".regloom.three", "abcdefghijk", 11 } };
enum { ADD = sizeof add / sizeof *add, E_VERSION = 20, OWN = 2 };

/* The cubin of sm_75 that nvcc put into a fatbin. */
static void setup(void)
{
	struct source s, x;
	struct fatbin f;

	arena_init(&a);
	diag_init(&d, NULL);
	ck_assert(source_read(&s, "test/golden/fatbin/raw.fatbin", &a, &d) && fatbin_read(&f, &s, &a, &d) &&
		  fatbin_unpack(&x, &f, &f.entry[0], &a, &d));
	cubin = (const uint8_t *)x.text;
	size = x.len;
}

static void teardown(void)
{
	diag_free(&d);
	arena_free(&a);
}

static uint8_t *added(const void *bytes, size_t n, size_t *out_n)
{
	void *out;

	ck_assert_msg(cubin_add("k.cubin", bytes, n, add, ADD, &a, &out, out_n, &d), "%s", d.last);
	return out;
}

static const uint8_t *removed(const void *bytes, size_t n, size_t *out_n)
{
	const void *out;

	ck_assert_msg(cubin_remove_added("k.cubin", bytes, n, &a, &out, out_n, &d), "%s", d.last);
	return out;
}

START_TEST(libelf_finds_all_old_sections_as_they_were_and_the_new_ones)
{
	size_t n, before, after, names_before, names_after;
	uint8_t *out = added(cubin, size, &n);
	Elf *x, *y;

	elf_version(EV_CURRENT);
	x = elf_memory((char *)(uintptr_t)cubin, size);
	y = elf_memory((char *)out, n);
	ck_assert(elf_getshdrnum(x, &before) == 0 && elf_getshdrnum(y, &after) == 0);
	ck_assert(elf_getshdrstrndx(x, &names_before) == 0 && elf_getshdrstrndx(y, &names_after) == 0);
	ck_assert_uint_eq(after, before + ADD + OWN);
	for (size_t s = 0; s < after; s++) {
		GElf_Shdr now, old;
		const char *name;

		ck_assert_ptr_nonnull(gelf_getshdr(elf_getscn(y, s), &now));
		name = elf_strptr(y, names_after, now.sh_name);
		if (s < before) {
			ck_assert_ptr_nonnull(gelf_getshdr(elf_getscn(x, s), &old));
			ck_assert_mem_eq(&now, &old, sizeof now);
			ck_assert_str_eq(name, elf_strptr(x, names_before, old.sh_name));
			if (now.sh_type != SHT_NOBITS)
				ck_assert_mem_eq(out + now.sh_offset, cubin + old.sh_offset, now.sh_size);
		} else {
			ck_assert_uint_eq(now.sh_flags, 0);
			ck_assert(s == after - 1 ? now.sh_type == SHT_STRTAB : now.sh_type == CUBIN_ADDED_TYPE);
			ck_assert_uint_ge(now.sh_offset, size);
		}
		if (s > before && s < after - 1) {
			ck_assert_str_eq(name, add[s - before - 1].name);
			ck_assert_uint_eq(now.sh_size, add[s - before - 1].n);
			ck_assert_mem_eq(out + now.sh_offset, add[s - before - 1].bytes, now.sh_size);
		}
	}
	elf_end(x);
	elf_end(y);
}
END_TEST

START_TEST(every_other_byte_stays)
{
	size_t n;
	uint8_t *out = added(cubin, size, &n);

	ck_assert_mem_eq(out + 64, cubin + 64, size - 64);
	ck_assert_mem_eq(out, cubin, 40);
	ck_assert_mem_eq(out + 48, cubin + 48, 12);
}
END_TEST

START_TEST(what_is_taken_away_again_leaves_the_same_bytes)
{
	size_t n, m, twice;
	uint8_t *out = added(cubin, size, &n);
	const uint8_t *back = removed(out, n, &m);

	ck_assert_uint_eq(m, size);
	ck_assert_mem_eq(back, cubin, size);
	ck_assert_mem_eq(added(back, m, &twice), out, n);
	ck_assert_uint_eq(twice, n);
	ck_assert_ptr_eq(removed(cubin, size, &m), cubin);
	ck_assert_uint_eq(m, size);
}
END_TEST

/* CUDA 11 and 12 write the toolkit's number where ELF has its version, which libelf takes for an unknown one. */
START_TEST(the_old_abi_keeps_its_version)
{
	uint8_t *old = arena_alloc(&a, size, 16), *out;
	size_t n;

	memcpy(old, cubin, size);
	old[EI_OSABI] = 0x33;
	old[EI_ABIVERSION] = 7;
	old[E_VERSION] = 111;
	out = added(old, size, &n);
	ck_assert_uint_eq(out[E_VERSION], 111);
	ck_assert_mem_eq(out + 64, old + 64, size - 64);
}
END_TEST

/* From 65,280 sections on the first section header says how many there are, and which holds the names. */
START_TEST(more_sections_than_the_elf_header_can_count)
{
	enum { MANY = 66000 };
	struct cubin_addition *x = new_array(&a, struct cubin_addition, MANY);
	size_t n, twice, back_n, count, names;
	void *out, *again;
	GElf_Shdr last;
	struct source s;
	struct cubin *c;
	Elf *e;

	for (uint32_t y = 0; y < MANY; y++)
		x[y] = (struct cubin_addition){ arena_printf(&a, ".regloom.%u", y), "hello", y % 6 };
	ck_assert_msg(cubin_add("k.cubin", cubin, size, x, MANY, &a, &out, &n, &d), "%s", d.last);
	e = elf_memory(out, n);
	ck_assert(elf_getshdrnum(e, &count) == 0 && elf_getshdrstrndx(e, &names) == 0);
	ck_assert_uint_gt(count, MANY);
	ck_assert_uint_eq(names, count - 1);
	ck_assert_ptr_nonnull(gelf_getshdr(elf_getscn(e, count - 2), &last));
	ck_assert_str_eq(elf_strptr(e, names, last.sh_name), ".regloom.65999");
	ck_assert_uint_eq(last.sh_size, 65999 % 6);
	elf_end(e);
	s = (struct source){ .name = "k.cubin", .text = out, .len = n };
	c = cubin_read(&s, &a, &d);
	ck_assert_msg(c && c->nsection == count, "%s", d.last);
	ck_assert_mem_eq(removed(out, n, &back_n), cubin, size);
	ck_assert_uint_eq(back_n, size);
	/* onto what is counted so already */
	ck_assert(cubin_add("k.cubin", out, n, add, ADD, &a, &again, &twice, &d));
	ck_assert_uint_gt(twice, n);
}
END_TEST

static void counted(uint64_t count, uint32_t names, const char *says)
{
	uint8_t *bad = arena_alloc(&a, size, 16);
	struct source s = { .name = "k.cubin", .text = (const char *)bad, .len = size };
	uint64_t at;

	memcpy(bad, cubin, size);
	memcpy(&at, bad + 40, sizeof at);
	memset(bad + 60, 0, 2);
	memset(bad + 62, 0xff, 2);
	memcpy(bad + at + 32, &count, sizeof count);
	memcpy(bad + at + 40, &names, sizeof names);
	if (says) {
		ck_assert(!cubin_read(&s, &a, &d));
		ck_assert_msg(strstr(d.last, says), "%s", d.last);
	} else {
		ck_assert_msg(cubin_read(&s, &a, &d), "%s", d.last);
	}
}

START_TEST(what_the_first_section_header_counts_is_checked)
{
	uint32_t count = 0, names = 0;

	memcpy(&count, cubin + 60, 2);
	memcpy(&names, cubin + 62, 2);
	counted(count, names, NULL);
	counted(count, count, "section names");
	counted(count, 0, "section names");
	counted(1, names, "outside the file");
	counted(size, names, "outside the file");
	counted(UINT64_MAX, names, "outside the file");
	counted(UINT64_C(1) << 58, names, "outside the file"); /* times 64: nothing */
}
END_TEST

START_TEST(too_many_sections_are_refused)
{
	uint32_t many = CUBIN_SECTIONS_MAX;
	struct cubin_addition *x = new_array(&a, struct cubin_addition, many);
	void *out;
	size_t n;

	for (uint32_t s = 0; s < many; s++)
		x[s] = add[0];
	ck_assert(!cubin_add("k.cubin", cubin, size, x, many, &a, &out, &n, &d));
	ck_assert_ptr_nonnull(strstr(d.last, "at most 1048576 are written"));
}
END_TEST

/* Whatever a damaged file makes of it: refused, or the bytes of some file inside. */
START_TEST(damage_never_leads_outside)
{
	size_t n, m;
	uint8_t *out = added(cubin, size, &n);

	for (size_t b = 0; b < n; b += b < 64 || b >= size ? 1 : 61) {
		uint8_t *bad = arena_alloc(&a, n, 16);
		const void *back;
		struct diag e;

		memcpy(bad, out, n);
		bad[b] ^= (uint8_t)(1 << b % 8);
		diag_init(&e, NULL);
		if (cubin_remove_added("k.cubin", bad, n, &a, &back, &m, &e))
			ck_assert_uint_le(m, n);
		else
			ck_assert_uint_eq(e.errors, 1);
		diag_free(&e);
	}
	for (size_t cut = 0; cut < n; cut += 7) {
		struct diag e;
		const void *back;

		diag_init(&e, NULL);
		ck_assert(!cubin_remove_added("k.cubin", memcpy(arena_alloc(&a, cut + 1, 16), out, cut), cut, &a, &back,
					      &m, &e));
		ck_assert_uint_eq(e.errors, 1);
		diag_free(&e);
	}
}
END_TEST

START_TEST(a_container_that_was_changed_is_refused)
{
	/* magic, version, records, bytes, headers, their number, names, sum */
	static const uint8_t at[] = { 0, 4, 8, 16, 24, 32, 36, 40 };
	size_t n, m;
	uint8_t *out = added(cubin, size, &n), *container;
	const void *back;

	container = memmem(out, n, "RLct", 4);
	ck_assert_ptr_nonnull(container);
	container[at[_i]] ^= 8;
	ck_assert(!cubin_remove_added("k.cubin", out, n, &a, &back, &m, &d));
	ck_assert_ptr_nonnull(strstr(d.last, "k.cubin: .regloom.container"));
}
END_TEST

Suite *suite_cubin_write(void)
{
	Suite *s = suite_create("cubin_write");
	TCase *c = tcase_create("cubin_write");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, libelf_finds_all_old_sections_as_they_were_and_the_new_ones);
	tcase_add_test(c, every_other_byte_stays);
	tcase_add_test(c, what_is_taken_away_again_leaves_the_same_bytes);
	tcase_add_test(c, the_old_abi_keeps_its_version);
	tcase_add_test(c, more_sections_than_the_elf_header_can_count);
	tcase_add_test(c, what_the_first_section_header_counts_is_checked);
	tcase_add_test(c, too_many_sections_are_refused);
	tcase_add_test(c, damage_never_leads_outside);
	tcase_add_loop_test(c, a_container_that_was_changed_is_refused, 0, 8);
	suite_add_tcase(s, c);
	return s;
}
