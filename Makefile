# regloom. `make` builds, `make demo` shows it, `make check` tests it, `make install PREFIX=... DESTDIR=...`; `make help`.
# Variants: BUILD=debug, SAN=1 (ASan and UBSan), TSAN=1 (threads), WERROR=1. A new .c is picked up by wildcard. The programs and libraries are built here;
# parts of their own: test/test.mk, test/study/study.mk, share/install.mk (install and Debian packages), CUDA's and the examples'.
# `## TEXT` behind a target, and on the lines after it, is what `make help` says of it, below the last `##@ TITLE`; such targets are phony.

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
MAINS   := analyzer/llvm/main.c $(wildcard analyzer/cli/*.c runtime-model/hardware/*.c) $(MODEL)
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

##@ Building
all: $(COMMANDS) $(LLVM) $(LIBS) ## build build/ptx-annotate, build/sm-model and libregloom
## (installs missing packages; NO_INSTALL=1 only names them); SAN=1 under ASan and UBSan, TSAN=1 under TSan; WERROR=1, CC=clang-19, BUILD=debug
demo: all ## build, annotate the examples and run them on the model
	@test/script/demo.sh $(B)
clean: ## remove build/
	rm -rf build
help: ## this
	@awk '/^##@/ { title = substr($$0, 5); if (!seen[title]++) order[++n] = title; next } \
	  /^[a-z][a-z-]*:.*## / { name = $$1; sub(/:.*/, "", name); sub(/.*## /, ""); text[title] = text[title] sprintf("\nmake %-17s %s", name, $$0); next } \
	  /^## / { text[title] = text[title] substr($$0, 3) } \
	  END { for (i = 1; i <= n; i++) print (i > 1 ? "\n" : "") order[i] text[order[i]] }' $(PARTS)

# ---- packages: packages.txt is the one list ----
DEPS := $(sort $(shell awk 'NF == 2 { print "deps-" $$2 }' packages.txt))
$(DEPS): deps-%: packages.txt .ci/packages
	@.ci/packages $*

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
$(B)/regloom.pc: regloom.pc.in Makefile
	@mkdir -p $(@D)
	$(Q)sed -e 's|@PREFIX@|$${pcfiledir}|' -e 's|@LIBDIR@|$${prefix}|' -e 's|@VERSION@|$(VERSION)|' -e 's|^bindir=.*|bindir=$${prefix}|' \
	  -e 's|^includedir=.*|includedir=$${prefix}/$(call to_there,$(B),include)|' -e 's|^makefile=.*|makefile=$${prefix}/regloom.mk|' $< > $@

##@ Installing
include share/install.mk
include runtime-model/cuda/cuda.mk
include runtime-model/hardware/hardware.mk
##@ Tests
include test/test.mk
##@ Speed
##@ Studies: the figures and tables of docs/results
include test/study/study.mk

##@ What is committed, made again
bless: all $(B)/test/unit/run ## rewrite the golden files; review the diff like code
	-BLESS=1 $(B)/test/unit/run ptx launch recorded
	@BLESS=1 test/script/golden.sh $(B)
format: ## the C, as .clang-format has it (clang-format 14)
	@test/tool/format.sh --write
glossary: all ## the metrics of docs/GLOSSARY.md
	@test/tool/glossary.py $(B) --write
pictures: ## docs/*.svg, of docs/*.dot (Graphviz)
	for f in docs/*.dot; do dot -Tsvg $$f -o $${f%.dot}.svg || exit 1; done
rooms: all ## the table of rooms in docs/ARCHITECTURE.md, and its drawing, of docs/rooms.txt
	@test/tool/layers.py $(B) --write && dot -Tsvg docs/rooms.dot -o docs/rooms.svg
tests-table: ## the table of test/README.md, of test/tests.txt
	@test/tool/tests.py --write
web: ## the page of sm-model report, runtime-model/html/web/dist (Node.js, npm)
	$(Q)cd runtime-model/html/web && npm ci && npm run build
include examples/examples.mk

# The files of which this is made, but for those that the compiler writes.
PARTS := $(filter Makefile %.mk,$(MAKEFILE_LIST))
.PHONY: $(DEPS) $(shell sed -n 's/^\([a-z][a-z-]*\):.*\#\# .*/\1/p' $(PARTS))
