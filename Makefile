# regloom. `make` builds, `make demo` shows it, `make check` tests it, `make install PREFIX=... DESTDIR=...`; `make help`.
# One non-recursive file; a new .c is picked up by wildcard. Variants: BUILD=debug, SAN=1 (ASan and UBSan), TSAN=1 (threads), WERROR=1.

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
VERSION   := 0.1.0
SOVERSION := 0
PREFIX    ?= /usr/local
LIBDIR    ?= $(PREFIX)/lib
BUILD     ?= release
ifeq ($(origin CC),default)
CC        := gcc
endif
CLANG     ?= clang-19

# V=1 shows whole commands.
Q       := $(if $(V),,@)
say      = $(if $(V),,@echo '  $(1) $(2)')
VARIANT := $(if $(SAN),/san,$(if $(TSAN),/tsan,$(if $(filter-out release,$(BUILD)),/$(BUILD))))
B       := build$(VARIANT)

comma  := ,
PKGS   := libelf libdw jansson libcyaml libzstd liblz4
WARN   := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wswitch-enum $(if $(WERROR),-Werror)
OPT_release := -O2 -g
OPT_debug   := -O1 -g3 -DREGLOOM_DEBUG
# Clang's check of pointer arithmetic calls NULL + 0 an error, which C2y does not (N3322).
SANFLAGS    := $(if $(SAN),-fsanitize=address$(comma)undefined $(if $(findstring clang,$(CC)),-fno-sanitize=pointer-overflow) -fno-sanitize-recover=undefined -fno-omit-frame-pointer -DREGLOOM_DEBUG)$(if $(TSAN),-fsanitize=thread)
CFLAGS ?= $(if $(SAN),-O1 -g1,$(OPT_$(BUILD)))
ALLCFLAGS = -std=c11 -D_GNU_SOURCE $(WARN) -I. -Iinclude -DREGLOOM_VERSION='"$(VERSION)"' -fPIC -fvisibility=hidden -ffp-contract=off -pthread \
            $(CFLAGS) $(SANFLAGS) $(shell pkg-config --cflags $(PKGS))
LDLIBS    = $(shell pkg-config --libs $(PKGS)) -lm -pthread
ALLLDFLAGS = $(LDFLAGS) $(SANFLAGS)

# LLVM IR is read by a program of its own, built where LLVM 16 or newer is: LLVM_CONFIG names one, LLVM_CONFIG= leaves it out.
LLVM_CONFIG ?= $(firstword $(foreach v,19 20 18 17 16 21 22,$(shell command -v llvm-config-$(v))) $(shell command -v llvm-config))
MODEL   := $(sort $(wildcard runtime-model/cli/*.c runtime-model/html/*.c))
MAINS   := analyzer/llvm/main.c $(wildcard analyzer/cli/*.c) $(MODEL)
LIB_SRC := $(filter-out $(MAINS),$(sort $(wildcard analyzer/*/*.c passes/*.c passes/*/*.c runtime-model/*.c runtime-model/*/*.c)))
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o)

# The lane loops are compiled once for each instruction-set level; the engine picks one at start.
LANES_base := -DLANES_NAME=lanes_base -fno-math-errno -fno-trapping-math
LANES_v3   := -DLANES_NAME=lanes_v3 -fno-math-errno -fno-trapping-math -march=x86-64-v3 -mpclmul
LANES_OPT  := $(if $(SAN),-O1,-O3)
LANES      := base $(if $(filter x86_64,$(shell uname -m)),v3)
LIB_OBJ    := $(filter-out $(B)/runtime-model/engine/lanes.o,$(LIB_OBJ)) $(LANES:%=$(B)/runtime-model/engine/lanes_%.o)

COMMANDS := $(B)/ptx-annotate $(B)/sm-model
LLVM     := $(if $(LLVM_CONFIG),$(B)/regloom-llvm)
LIBS     := $(B)/libregloom.a $(B)/libregloom.so $(B)/regloom.pc

all: $(COMMANDS) $(LLVM) $(LIBS)
include share/share.mk
include runtime-model/cuda/cuda.mk

# ---- packages: packages.txt is the one list ----
deps-%: packages.txt .ci/packages
	@.ci/packages $*
.PHONY: all demo glossary pictures check check-long check-fresh check-regmutex bench bench-peer bless fuzz layers rooms checksums check-build install uninstall clean help micro examples examples-ptx unit study-two-level study-hints study-freq study-trips study-usage study-registers study-corf study-allocation study-orf study-schedule study-hierarchy study-banks study-compact study-regmutex study-placement study-energy study-gscalar study-wir papers

# ---- compiling ----
-include $(shell find $(wildcard $(addprefix $(B)/,analyzer passes runtime-model test)) /dev/null -name '*.d' 2>/dev/null)

$(B)/%.o: %.c | deps-build
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(ALLCFLAGS) -MMD -MP -c $< -o $@
$(LANES:%=$(B)/runtime-model/engine/lanes_%.o): $(B)/runtime-model/engine/lanes_%.o: runtime-model/engine/lanes.c | deps-build
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(ALLCFLAGS) $(LANES_OPT) $(LANES_$*) -MMD -MP -c $< -o $@
$(B)/libregloom.a: $(LIB_OBJ)
	$(call say,AR,$@)
	@rm -f $@
	$(Q)ar rcs $@ $^
$(B)/libregloom.so: $(LIB_OBJ) regloom.map
	$(call say,LD,$@)
	$(Q)$(CC) -shared -Wl,-soname,libregloom.so.$(SOVERSION) -Wl,--version-script=regloom.map $(if $(SAN),,-Wl$(comma)-z$(comma)defs) -o $@ $(LIB_OBJ) $(ALLLDFLAGS) $(LDLIBS)
$(B)/runtime-model/html/bundle.o: runtime-model/html/web/dist/page.html $(addprefix docs/,run.schema.json compare.schema.json detail.schema.json annotate.schema.json)
$(B)/ptx-annotate: $(patsubst %.c,$(B)/%.o,$(wildcard analyzer/cli/*.c)) $(B)/libregloom.a
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $^ $(ALLLDFLAGS) $(LDLIBS)
$(B)/sm-model: $(MODEL:%.c=$(B)/%.o) $(B)/libregloom.a
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $^ $(ALLLDFLAGS) $(LDLIBS)
$(B)/regloom-llvm: analyzer/llvm/main.c Makefile | deps-build
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE $(WARN) $(CFLAGS) -DREGLOOM_VERSION='"$(VERSION)"' -DLLVM_VERSION_TEXT='"$(shell $(LLVM_CONFIG) --version)"' \
	  -isystem $(shell $(LLVM_CONFIG) --includedir) $< -o $@ $(LDFLAGS) $(shell $(LLVM_CONFIG) --ldflags --libs core irreader analysis passes nvptx)
# Reads remarks with LLVM's own parser, for test/script/gate.sh.
$(B)/test/remarks: test/script/remarks.c Makefile | deps-build
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) -std=c11 $(WARN) $(CFLAGS) -isystem $(shell $(LLVM_CONFIG) --includedir) $< -o $@ $(LDFLAGS) $(shell $(LLVM_CONFIG) --ldflags --libs remarks)
$(B)/regloom.pc: regloom.pc.in Makefile
	@mkdir -p $(@D)
	$(Q)sed -e 's|@PREFIX@|$${pcfiledir}|' -e 's|@LIBDIR@|$${prefix}|' -e 's|@VERSION@|$(VERSION)|' -e 's|^bindir=.*|bindir=$${prefix}|' \
	  -e 's|^includedir=.*|includedir=$${prefix}/$(call to_there,$(B),include)|' -e 's|^makefile=.*|makefile=$${prefix}/regloom.mk|' $< > $@

# ---- demonstration ----
# Rules below name what they need at once, so the list comes first.
REFS := $(patsubst test/reference/%.c,$(B)/reference/%,$(wildcard test/reference/*.c))
demo: all
	@test/script/demo.sh $(B)
examples: all $(REFS)
	@test/script/examples.sh $(B)
micro: all
	@test/script/micro.py $(B) $(if $(V),-v)
include examples/examples.mk

# ---- tests ----
UNIT_SRC := $(sort $(wildcard test/unit/t_*.c))
UNIT_OBJ := $(UNIT_SRC:%.c=$(B)/%.o) $(B)/test/unit/main.o
PROP     := $(patsubst test/prop/%.c,$(B)/test/%,$(wildcard test/prop/p_*.c))
REPLAY   := $(patsubst test/fuzz/%.c,$(B)/test/replay_%,$(wildcard test/fuzz/f_*.c))
FUZZERS  := $(patsubst test/fuzz/%.c,build/fuzz/%,$(wildcard test/fuzz/f_*.c))
CONFORM  := $(patsubst test/conform/%.c,$(B)/test/conform.o/%.o,$(filter-out test/conform/approx.c,$(sort $(wildcard test/conform/*.c))))

$(B)/test/unit/suites.def: $(UNIT_SRC)
	@mkdir -p $(@D)
	@for t in $(UNIT_SRC:test/unit/t_%.c=%); do echo "SUITE($$t)"; done > $@
$(B)/test/unit/main.o: $(B)/test/unit/suites.def
$(B)/test/unit/%.o: test/unit/%.c | deps-check
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(ALLCFLAGS) -O1 -I$(B)/test/unit $(shell pkg-config --cflags check) -MMD -MP -c $< -o $@
$(B)/test/unit/run: $(UNIT_OBJ) $(B)/libregloom.a
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $^ $(ALLLDFLAGS) $(shell pkg-config --libs check) $(LDLIBS)
$(B)/test/p_%: $(B)/test/prop/p_%.o $(B)/test/prop/gen.o $(B)/test/prop/gen_insn.o $(B)/test/prop/launch.o $(B)/test/prop/seeds.o $(B)/libregloom.a
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $^ $(ALLLDFLAGS) $(LDLIBS)
$(B)/test/replay_f_%: $(B)/test/fuzz/f_%.o $(B)/test/fuzz/replay.o $(B)/libregloom.a
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $^ $(ALLLDFLAGS) $(LDLIBS)
$(B)/test/conform.o/%.o: test/conform/%.c | deps-check
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(ALLCFLAGS) -MMD -MP -c $< -o $@
$(B)/test/conform: $(CONFORM) $(B)/libregloom.a
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $^ $(ALLLDFLAGS) $(LDLIBS) -lmpfr -lgmp
$(B)/test/approx: $(B)/test/conform.o/approx.o $(B)/libregloom.a
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $^ $(ALLLDFLAGS) $(LDLIBS)
$(B)/test/bench/bench $(B)/test/bench/functional $(B)/test/bench/together $(B)/test/bench/sass: $(B)/test/bench/%: $(B)/test/bench/%.o $(B)/libregloom.a
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $^ $(ALLLDFLAGS) $(LDLIBS)
$(B)/test/bench/scale $(B)/test/bench/long: $(B)/test/bench/%: test/bench/%.c test/bench/process.h | deps-build
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE $(WARN) -O2 $< -o $@
$(B)/reference/%: test/reference/%.c $(wildcard test/reference/*.h analyzer/base/rng.h) | deps-build
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE $(WARN) -I. -O2 -ffp-contract=off $< -o $@ -lm

include test/cuda/cuda.mk

# The cubins of test/sass, and what proves that their machine code is read rightly.
EVIDENCE := $(sort $(wildcard test/sass/*.c))
$(B)/test/evidence: $(EVIDENCE:%.c=$(B)/%.o) $(B)/libregloom.a
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $^ $(ALLLDFLAGS) $(LDLIBS)
check-build: $(B)/test/evidence
.PHONY: sass-corpus study-sass bench-sass
sass-corpus: all $(B)/test/evidence
	@[ -n "$$(ls build/sass-corpus/*.cubin 2> /dev/null)" ] || test/sass/make.sh build/sass-corpus large
	@CORPUS=build/sass-corpus test/sass/sass.sh $(B)
study-sass: all $(B)/test/evidence
	@test/study/sass.py $(B) docs/results/sass.md
bench-sass: all $(B)/test/bench/sass
	@test/bench/sass.sh $(B)

unit: $(B)/test/unit/run
	$(B)/test/unit/run
check-build: deps-check all $(B)/test/unit/run $(PROP) $(REPLAY) $(REFS) $(if $(LLVM),$(B)/test/remarks) $(B)/test/conform $(B)/test/approx
check: check-build
	@test/run.sh $(B)
# A day on two cores, once a week: LONG kernels for each property, all examples, LONG damaged inputs of each kind under sanitizers.
LONG ?= 20000
check-long: check-build
	@SEEDS=$(LONG) EVERY=1 test/run.sh $(B)
	@$(MAKE) fuzz FUZZ_RUNS=$(LONG)
# What a newcomer meets: README's commands in a bare Debian without CUDA, made for it (root, debootstrap).
check-fresh:
	@test/packaging/fresh.sh
check-regmutex: all
	@FULL=1 test/script/regmutex.sh $(B)
bench: all $(B)/test/bench/bench $(B)/test/bench/functional $(B)/test/bench/together $(B)/test/bench/scale $(REFS)
	@BEFORE=$(BEFORE) test/bench/bench.sh $(B)

bench-peer: all $(REFS)
	@test/bench/peer.sh $(B)
study-two-level: all | deps-study
	@test/study/two_level.py $(B) docs/results
study-hints: all
	@test/study/hints.py $(B) docs/results/hints.md
study-orf: all
	@test/study/orf_gap.py $(B) docs/results/orf_gap.md
study-banks: all
	@test/study/banks.py $(B) docs/results/banks.md
study-compact: all $(B)/test/p_compact
	@test/study/compact_gap.py $(B) docs/results/compact_gap.md
study-energy: all
	@test/study/energy.py $(B) docs/results/energy.md
study-placement: all
	@test/study/placement.py $(B) docs/results/placement.md
study-schedule: all
	@test/study/schedule.py $(B) docs/results/schedule.md
study-freq: all
	@test/study/freq.py $(B)
study-trips: all
	@test/study/trips.py $(B) docs/results/trips.md
study-usage: all | $(if $(VARIANTS),deps-clang)
	@test/study/usage.py $(B) docs/results $(if $(VARIANTS),--variants)
study-registers: all
	@test/study/registers.py $(B) docs/results/registers.md
study-corf: all | deps-study $(if $(VARIANTS),deps-clang)
	@test/study/corf.py $(B) $(if $(QUICK),--quick,docs/results) $(if $(VARIANTS),--variants)
study-allocation: all | $(if $(VARIANTS),deps-clang)
	@test/study/allocation.py $(B) $(if $(VARIANTS),--variants,docs/results/allocation.md)
study-hierarchy: all | deps-study
	@test/study/hierarchy.py $(B) $(if $(QUICK),--quick,docs/results) $(if $(ALL),--all)
	$(if $(QUICK)$(ALL),,@test/study/usage.py $(B) docs/results && test/study/two_level.py $(B) docs/results)
study-regmutex: all | deps-study
	@test/study/live_registers.py $(B) $(if $(QUICK),--quick,docs/results)
	@test/study/regmutex.py $(B) $(if $(QUICK),--quick,docs/results)
study-gscalar: all | deps-study $(if $(VARIANTS),deps-clang)
	@test/study/gscalar.py $(B) $(if $(QUICK),--quick,$(if $(VARIANTS),--narrow,docs/results)) $(if $(ALL),--all)
study-wir: all | deps-study
	@test/study/wir.py $(B) $(if $(QUICK),--quick,docs/results) $(if $(ALL),--all)
.PHONY: study-all
study-all: all | deps-study
	@test/study/all.py $(B) $(if $(QUICK),--quick,docs/results)
papers: all | deps-study
	@test/study/papers.py $(B) $(if $(QUICK),$(B)/papers --quick,docs/results $(if $(PAGES),--pages))
bless: all $(B)/test/unit/run
	-BLESS=1 CK_RUN_SUITE=ptx $(B)/test/unit/run
	-BLESS=1 CK_RUN_SUITE=launch $(B)/test/unit/run
	@BLESS=1 test/script/golden.sh $(B)
layers: all
	@test/tool/layers.sh $(B)
rooms: all
	@test/tool/layers.py $(B) --write && dot -Tsvg docs/rooms.dot -o docs/rooms.svg
checksums: all
	@test/tool/checksums.sh $(B)
format:
	@test/tool/format.sh --write
glossary: all
	@test/tool/glossary.py $(B) --write
pictures:
	for f in docs/*.dot; do dot -Tsvg $$f -o $${f%.dot}.svg || exit 1; done

# The page of `sm-model report`, which is committed: only who changes it needs Node.js and npm.
.PHONY: web
web:
	$(Q)cd runtime-model/html/web && npm ci && npm run build

# Coverage-guided fuzzing of each reader, with 10 s and 2 GiB for an input: FUZZ_SECONDS of what was found before, or FUZZ_RUNS inputs, the
# same for the same FUZZ_SEED; needs clang. FUZZ names some of the readers. Inputs that crash, or break a limit, go to the corpus.
FUZZ_SECONDS ?= 600
FUZZ_RUNS    ?=
FUZZ_SEED    ?= $(shell date +%s)
FUZZ         ?= $(patsubst build/fuzz/f_%,%,$(FUZZERS))
FUZZFLAGS := -std=c11 -D_GNU_SOURCE -I. -Iinclude -DREGLOOM_VERSION='"$(VERSION)"' -g -O1 -ffp-contract=off -pthread -fsanitize=address,undefined \
  -fno-sanitize=pointer-overflow -fno-sanitize-recover=undefined -DLANES_NAME=lanes_base -DLANES_ONLY_BASE
-include $(shell find build/fuzz/lib /dev/null -name '*.d' 2>/dev/null)
build/fuzz/lib/%.o: %.c
	@mkdir -p $(@D)
	$(call say,FUZZ,$@)
	$(Q)$(CLANG) $(FUZZFLAGS) -fsanitize=fuzzer-no-link $(shell pkg-config --cflags $(PKGS)) -MMD -MP -c $< -o $@
build/fuzz/libregloom.a: $(LIB_SRC:%.c=build/fuzz/lib/%.o)
	@rm -f $@
	$(Q)ar rcs $@ $^
$(FUZZERS): build/fuzz/%: build/fuzz/lib/test/fuzz/%.o build/fuzz/libregloom.a
	$(Q)$(CLANG) $(FUZZFLAGS) -fsanitize=fuzzer $^ -o $@ $(LDLIBS)
fuzz: deps-clang $(FUZZ:%=build/fuzz/f_%)
	$(eval FUZZ_SEED := $(FUZZ_SEED))
	@for n in $(FUZZ); do \
	  echo "fuzz $$n: $(if $(FUZZ_RUNS),make fuzz FUZZ=$$n FUZZ_RUNS=$(FUZZ_RUNS) FUZZ_SEED=$(FUZZ_SEED),$(FUZZ_SECONDS) s)"; \
	  $(if $(FUZZ_RUNS),rm -rf build/fuzz/runs-$$n;) mkdir -p build/fuzz/$(if $(FUZZ_RUNS),runs,corpus)-$$n test/fuzz/corpus/$$n; \
	  build/fuzz/f_$$n $(if $(FUZZ_RUNS),-runs=$(FUZZ_RUNS) -seed=$(FUZZ_SEED),-max_total_time=$(FUZZ_SECONDS)) -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
	    -close_fd_mask=3 -artifact_prefix=test/fuzz/corpus/$$n/crash- build/fuzz/$(if $(FUZZ_RUNS),runs,corpus)-$$n test/fuzz/corpus/$$n \
	    > build/fuzz/$$n.log 2>&1 || { tail -40 build/fuzz/$$n.log; exit 1; }; \
	  sed -n '/^stat::/s/^stat::/  /p' build/fuzz/$$n.log; done

# ---- installing ----
MAN := $(wildcard docs/man/*.[1-9])
install: all
	@echo '  INSTALL $(DESTDIR)$(PREFIX)'
	$(Q)install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/share/doc/regloom
	install -m755 $(COMMANDS) $(DESTDIR)$(PREFIX)/bin
	$(if $(LLVM),install -Dm755 $(LLVM) $(DESTDIR)$(PREFIX)/lib/regloom/regloom-llvm)
	install -m644 $(B)/libregloom.a $(DESTDIR)$(LIBDIR)
	install -m755 $(B)/libregloom.so $(DESTDIR)$(LIBDIR)/libregloom.so.$(VERSION)
	ln -sf libregloom.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libregloom.so.$(SOVERSION)
	ln -sf libregloom.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libregloom.so
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' regloom.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/regloom.pc
	install -m644 include/regloom.h $(DESTDIR)$(PREFIX)/include
	install -m644 README.md LICENSE $(DESTDIR)$(PREFIX)/share/doc/regloom
	for m in $(MAN); do install -Dm644 $$m $(DESTDIR)$(PREFIX)/share/man/man$${m##*.}/$${m##*/}; done
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/ptx-annotate $(DESTDIR)$(PREFIX)/bin/sm-model $(DESTDIR)$(LIBDIR)/libregloom.* \
	  $(DESTDIR)$(LIBDIR)/pkgconfig/regloom.pc $(DESTDIR)$(PREFIX)/include/regloom.h
	rm -rf $(DESTDIR)$(PREFIX)/share/doc/regloom $(DESTDIR)$(PREFIX)/lib/regloom
	for m in $(MAN); do rm -f $(DESTDIR)$(PREFIX)/share/man/man$${m##*.}/$${m##*/}; done
clean:
	rm -rf build

help:
	@echo 'make                   build build/ptx-annotate, build/sm-model and libregloom (installs missing packages; NO_INSTALL=1 only names them)'
	@echo 'make demo              build, annotate the examples and run them on the model'
	@echo 'make examples          run all examples and compare what they compute with what is expected'
	@echo 'make install           commands, libraries, manual pages; PREFIX=/usr/local DESTDIR= LIBDIR='
	@echo 'make uninstall         remove what make install put there, with the same PREFIX, DESTDIR and LIBDIR'
	@echo 'make deb               Debian packages in build/deb, checked by lintian'
	@echo 'make clean             remove build/'
	@echo; echo 'Tests'
	@echo 'make check             build and pass all tests; SAN=1 under ASan and UBSan, TSAN=1 under TSan; WERROR=1, CC=clang-19, BUILD=debug'
	@echo 'make check DRAW=N      the random kernels and examples of another commit: it prints its own N'
	@echo 'make check-long        20,000 random kernels for each property, all examples, 20,000 damaged inputs of each kind: a day'
	@echo 'make check-fresh       make demo and make check in a bare Debian made for it (root, debootstrap)'
	@echo 'make check-build       build all that make check runs'
	@echo 'make unit              the unit tests alone; make layers: which rooms include and link which'
	@echo 'make checksums         of all that the commands write for what the repository holds, to compare before a change and after'
	@echo 'make check-regmutex    registers shared between warps: every size of every kernel of the examples (minutes)'
	@echo 'make check-cuda        the CUDA kernels, and the CUDA programs as they are, with mistakes and under valgrind (nvcc, half an hour); MUTANTS=1, VALGRIND=1: one round'
	@echo 'make sass-corpus       thousands of cubins with nvcc (minutes), and the tests of machine code on them'
	@echo 'make fuzz              FUZZ_SECONDS=600 for each reader, or FUZZ_RUNS=N inputs of FUZZ_SEED=S (clang)'
	@echo 'make micro             latencies and throughputs measured from inside kernels, beside what the parameters say (V=1: the formulas too)'
	@echo; echo 'Speed'
	@echo 'make bench             speed of every part, as ratios in one run; BEFORE=BUILD beside that of another build'
	@echo 'make bench-peer        what moves the cycles of the peer kernels; minutes'
	@echo 'make bench-sass        how fast a large cubin is read'
	@echo; echo 'Studies: the figures and tables of docs/results'
	@echo 'make papers            all of the five papers: their figures for the examples, and every claim beside ours, docs/results/papers.md; QUICK=1: few examples, into build/papers; PAGES=1: the page of claims alone'
	@echo 'make study-allocation  what each part of the allocation to the ORF is worth, docs/results/allocation.md; VARIANTS=1: 32-bit addresses, printed'
	@echo 'make study-banks       register banks and reuse flags of machine code, docs/results/banks.md'
	@echo 'make study-compact     how many MOVs index compaction needs beside the fewest, docs/results/compact_gap.md'
	@echo 'make study-corf        CORF'\''s table and figures for the examples, docs/results/corf.md; QUICK=1: four, printed; VARIANTS=1'
	@echo 'make study-energy      where the energy of a GPU goes, docs/results/energy.md'
	@echo 'make study-freq        estimated block frequencies beside those of a run, docs/PASSES.md'
	@echo 'make study-gscalar     all figures of G-Scalar for the examples, docs/results/gscalar.md; ALL=1: all examples, gscalar_all.md; QUICK=1: few, printed; VARIANTS=1: 32-bit addresses, printed'
	@echo 'make study-hierarchy   all figures of the register-file hierarchy for the examples, docs/results/{hierarchy,usage,two_level}.md; ALL=1: all examples, hierarchy_all.md; QUICK=1: few, printed'
	@echo 'make study-hints       what pairs and alignment keep of the examples, docs/results/hints.md'
	@echo 'make study-orf         how far the greedy allocation to the ORF is from the best one, docs/results/orf_gap.md'
	@echo 'make study-placement   what it costs to hold the registers that warps share, by placement, docs/results/placement.md'
	@echo 'make study-registers   what registers let onto an SM of 128 and 64 KB, and how many are alive, docs/results/registers.md'
	@echo 'make study-regmutex    all figures of RegMutex for the examples, docs/results/{regmutex,live_registers}.md; QUICK=1: few, printed'
	@echo 'make study-sass        live registers beside declared ones of the cubins in test/sass, docs/results/sass.md'
	@echo 'make study-schedule    what the order of the instructions is worth to an ORF, docs/results/schedule.md'
	@echo 'make study-trips       trip counts of machine code beside those of its PTX, docs/results/trips.md (ptxas)'
	@echo 'make study-two-level   IPC over the number of active warps, docs/results/two_level.md'
	@echo 'make study-usage       how the values in registers of the examples are used, docs/results/usage.md; VARIANTS=1: 32-bit addresses, printed'
	@echo 'make study-wir         all figures of WIR for the examples, docs/results/wir.md; ALL=1: all examples, wir_all.md; QUICK=1: few, printed'
	@echo 'make study-all         every technique and combinations on the same work, docs/results/all.md; QUICK=1: few, printed'
	@echo; echo 'What is committed, made again'
	@echo 'make bless             rewrite the golden files; review the diff like code'
	@echo 'make glossary          write the metrics of docs/GLOSSARY.md anew'
	@echo 'make pictures          draw docs/*.svg of docs/*.dot (Graphviz)'
	@echo 'make rooms             the table of rooms in docs/ARCHITECTURE.md, and its drawing, of docs/rooms.txt'
	@echo 'make cuda-functions    the table of functions in docs/CUDA.md, of cudart.def'
	@echo 'make examples-ptx      compile the examples again (clang)'
	@echo 'make cuda-ptx          compile the CUDA kernels of test/cuda again (nvcc); CUDA=NAME: one of them'
	@echo 'make web               build the page of sm-model report again (npm), runtime-model/html/web/dist'
