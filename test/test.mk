# Tests and measurements. What there is of tests: test/tests.txt, for people test/README.md.
REFS     := $(patsubst test/reference/%.c,$(B)/reference/%,$(wildcard test/reference/*.c))
UNIT_SRC := $(sort $(wildcard test/unit/t_*.c))
UNIT_OBJ := $(UNIT_SRC:%.c=$(B)/%.o) $(B)/test/unit/main.o
PROP     := $(patsubst test/prop/%.c,$(B)/test/%,$(wildcard test/prop/p_*.c))
REPLAY   := $(patsubst test/fuzz/%.c,$(B)/test/replay_%,$(wildcard test/fuzz/f_*.c))
FUZZERS  := $(patsubst test/fuzz/%.c,build/fuzz/%,$(wildcard test/fuzz/f_*.c))
CONFORM  := $(patsubst test/conform/%.c,$(B)/test/conform.o/%.o,$(filter-out test/conform/approx.c test/conform/exact.c,$(sort $(wildcard test/conform/*.c))))

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
$(B)/test/p_%: $(B)/test/prop/p_%.o $(B)/test/prop/gen.o $(B)/test/prop/gen_insn.o $(B)/test/prop/launch.o $(B)/test/prop/seeds.o $(B)/test/prop/axes.o $(B)/libregloom.a
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
$(B)/test/exact: $(B)/test/conform.o/exact.o $(B)/libregloom.a
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $^ $(ALLLDFLAGS) $(LDLIBS) -lmpfr -lgmp
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

# The host program that a launch file stands for, for test/cuda/cuda_agree.sh.
$(B)/test/cuda_replay: $(B)/test/cuda_core/replay.o $(B)/libregloom.a $(CUDA_OUT)
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $< $(B)/libregloom.a -L$(B)/cuda -l:libcuda.so.1 -Wl,-rpath,'$$ORIGIN/../cuda' $(ALLLDFLAGS) $(LDLIBS)

include test/cuda/cuda.mk

# The cubins of test/sass, and what proves that their machine code is read rightly.
EVIDENCE := $(sort $(wildcard test/sass/*.c))
$(B)/test/evidence: $(EVIDENCE:%.c=$(B)/%.o) $(B)/libregloom.a
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $^ $(ALLLDFLAGS) $(LDLIBS)
# Counts what can be executed of CUDA's libraries, for test/study/coverage.py.
$(B)/test/coverage: $(B)/test/study/coverage.o $(B)/libregloom.a
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $^ $(ALLLDFLAGS) $(LDLIBS)
$(B)/test/native_random: $(B)/test/prop/native_random.o $(B)/test/prop/gen.o $(B)/test/prop/gen_insn.o $(B)/test/prop/launch.o $(B)/libregloom.a
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $^ $(ALLLDFLAGS) $(LDLIBS)
# Reads remarks with LLVM's own parser, for test/script/gate.sh.
$(B)/test/remarks: test/script/remarks.c Makefile | deps-build
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) -std=c11 $(WARN) $(CFLAGS) -isystem $(shell $(LLVM_CONFIG) --includedir) $< -o $@ $(LDFLAGS) $(shell $(LLVM_CONFIG) --ldflags --libs remarks)

##@ Tests
# known KIND,NAME,NAMES,FOUND: FOUND, if this KIND of test is made; nothing found is an error that says what there is.
known = $(if $(filter $(1),$(MAKECMDGOALS)),$(or $(4),$(error no $(1) '$(2)'; NAME is one of: $(3))))
SCRIPT := $(shell awk '$$1 == "script" { print "test/" $$2 }' test/tests.txt)
SCRIPT := $(call known,script,$(NAME),$(sort $(basename $(notdir $(SCRIPT)))),$(filter %/$(NAME).sh %/$(NAME).py,$(SCRIPT)))
unit: $(B)/test/unit/run ## the unit tests; SUITE="live orf": these suites
	CK_DEFAULT_TIMEOUT=120 $< $(SUITE)
PROPERTY := $(call known,property,$(NAME),$(PROP:$(B)/test/p_%=%),$(filter $(B)/test/p_$(NAME),$(PROP)))
property: $(PROPERTY) ## a property of random kernels, NAME=orf: SEEDS=N of them, FIRST=N: from this one on, or this one
	$(PROPERTY) $(or $(SEEDS),$(if $(FIRST),1)) $(FIRST)
script: check-build ## a script, NAME=gate: what it tests, test/README.md says
	@$(SCRIPT) $(B)
check-build: deps-check all $(B)/test/unit/run $(PROP) $(REPLAY) $(REFS) $(if $(LLVM),$(B)/test/remarks) $(B)/test/conform $(B)/test/approx $(B)/test/exact $(B)/test/evidence $(B)/test/coverage $(B)/test/native_random $(B)/test/cuda_replay
check-build: ## build all that make check runs
check: check-build ## build and pass all tests; DRAW=N: random kernels and examples of another commit, it prints its own; TIMES=1: with seconds
	@test/run.sh $(B)
LONG ?= 20000
check-long: check-build ## 20,000 random kernels for each property, all examples, 20,000 damaged inputs of each kind: a day
	@SEEDS=$(LONG) EVERY=1 test/run.sh $(B)
	@$(MAKE) fuzz FUZZ_RUNS=$(LONG)
check-fresh: ## make demo and make check in a bare Debian without CUDA, made for it (root, debootstrap)
	@test/packaging/fresh.sh
COUNT ?= 300
SEED  ?= 1
mutants: export MUTANT_CC = $(CC) $(ALLCFLAGS) -O1 -ftrivial-auto-var-init=pattern
mutants: export MUTANT_LIBS = $(ALLLDFLAGS) $(shell pkg-config --libs check) $(LDLIBS)
mutants: export MUTANT_LANES = $(foreach v,$(LANES),$(LANES_$v);)
mutants: check-build ## which of COUNT=300 mistakes made on purpose the tests notice; ROOM="passes FILE FILE:LINE": there; SEED=1
	@test/tool/mutants.py $(B) $(COUNT) $(SEED) $(ROOM)
check-regmutex: all ## registers shared between warps: every size of every kernel of the examples (minutes)
	@FULL=1 test/script/regmutex.sh $(B)
checksums: all ## of all that the commands write for what the repository holds, to compare before a change and after
	@test/tool/checksums.sh $(B)
lint: export FLAGS = -std=c11 -D_GNU_SOURCE -I. -Iinclude -I$(B)/test/unit -DREGLOOM_VERSION="$(VERSION)" -DLANES_NAME=lanes_base -DCUDART=12
lint: deps-lint $(B)/test/unit/suites.def ## what clang-tidy and cppcheck find in the C: nothing; ALL=1: half an hour of it; FILES="FILE ...": in these
	@test/tool/lint.sh $(B)
layers: all ## which rooms include and link which
	@test/tool/layers.sh $(B)
examples: all $(REFS) ## run all examples and compare what they compute with what is expected
	@test/script/examples.sh $(B)
micro: all ## latencies and throughputs measured from inside kernels, beside what the parameters say (V=1: the formulas too)
	@test/script/micro.py $(B) $(if $(V),-v)
sass-corpus: all $(B)/test/evidence ## thousands of cubins with nvcc (minutes), and the tests of machine code on them
	@[ -n "$$(ls build/sass-corpus/*.cubin 2> /dev/null)" ] || test/sass/make.sh build/sass-corpus large
	@CORPUS=build/sass-corpus test/sass/sass.sh $(B)

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
fuzz: deps-clang $(FUZZ:%=build/fuzz/f_%) ## damaged inputs: FUZZ_SECONDS=600 for each reader, or FUZZ_RUNS=N inputs of FUZZ_SEED=S; FUZZ="ptx rlo": these (clang)
	$(eval FUZZ_SEED := $(FUZZ_SEED))
	@for n in $(FUZZ); do \
	  echo "fuzz $$n: $(if $(FUZZ_RUNS),make fuzz FUZZ=$$n FUZZ_RUNS=$(FUZZ_RUNS) FUZZ_SEED=$(FUZZ_SEED),$(FUZZ_SECONDS) s)"; \
	  $(if $(FUZZ_RUNS),rm -rf build/fuzz/runs-$$n;) mkdir -p build/fuzz/$(if $(FUZZ_RUNS),runs,corpus)-$$n test/fuzz/corpus/$$n; \
	  build/fuzz/f_$$n $(if $(FUZZ_RUNS),-runs=$(FUZZ_RUNS) -seed=$(FUZZ_SEED),-max_total_time=$(FUZZ_SECONDS)) -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
	    -close_fd_mask=3 -artifact_prefix=test/fuzz/corpus/$$n/crash- build/fuzz/$(if $(FUZZ_RUNS),runs,corpus)-$$n test/fuzz/corpus/$$n \
	    > build/fuzz/$$n.log 2>&1 || { tail -40 build/fuzz/$$n.log; exit 1; }; \
	  sed -n '/^stat::/s/^stat::/  /p' build/fuzz/$$n.log; done

##@ Speed
bench: all $(B)/test/bench/bench $(B)/test/bench/functional $(B)/test/bench/together $(B)/test/bench/scale $(REFS) ## speed of every part, as ratios in one run; BEFORE=BUILD beside that of another build
	@BEFORE=$(BEFORE) test/bench/bench.sh $(B)
bench-peer: all $(REFS) ## what moves the cycles of the peer kernels; minutes
	@test/bench/peer.sh $(B)
bench-sass: all $(B)/test/bench/sass ## how fast a large cubin is read
	@test/bench/sass.sh $(B)
