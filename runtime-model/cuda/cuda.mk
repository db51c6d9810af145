# Unmodified CUDA programs on the model (docs/CUDA.md): libregloom-cuda.so, the core that knows no ABI, the libraries over it that programs load,
# and regloom-run, which starts a program with them. They lie in $(B)/cuda, installed in $(CUDA_DIR).
CUDA_DIR = $(PREFIX)/lib/regloom/cuda
# Clang links its sanitizers' run-time into programs. Libraries for programs that have none want it as a library, as gcc's always is.
# What is loaded stays (nodelete): its handlers and threads outlive a plug-in that brought it.
CUDA_LDFLAGS := -Wl,-z,defs,-z,nodelete $(if $(and $(SAN)$(TSAN),$(findstring clang,$(CC))),-shared-libsan -Wl$(comma)-rpath$(comma)$(dir $(shell $(CC) -print-file-name=libclang_rt.asan-$(shell uname -m).so)))
CUDA_CORE := $(patsubst %.c,$(B)/%.o,$(sort $(wildcard runtime-model/cuda/core/*.c runtime-model/html/*.c)))
CUDA_OUT := $(B)/cuda/libregloom-cuda.so
all: $(CUDA_OUT) $(B)/regloom-run

$(B)/cuda/libregloom-cuda.so: $(CUDA_CORE) $(B)/libregloom.a runtime-model/cuda/core/core.map
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) -shared -Wl,-soname,libregloom-cuda.so -Wl,--build-id -Wl,--version-script=runtime-model/cuda/core/core.map $(CUDA_LDFLAGS) -Wl,--as-needed \
	  -o $@ $(CUDA_CORE) $(B)/libregloom.a $(ALLLDFLAGS) $(LDLIBS) -ldl
$(B)/regloom-run: $(patsubst %.c,$(B)/%.o,$(wildcard runtime-model/cuda/run/*.c)) $(B)/runtime-model/cuda/core/options.o $(B)/libregloom.a
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $^ $(ALLLDFLAGS) $(LDLIBS)

# cuda_library NAME,SOURCES,VERSION-SCRIPT,FLAGS: a library over the core, $(B)/cuda/NAME, of sources compiled with FLAGS into a folder of its own.
define cuda_library
CUDA_OUT += $(B)/cuda/$(1)
all: $(B)/cuda/$(1)
$(patsubst %.c,$(B)/cuda/$(1).o/%.o,$(2)): $(B)/cuda/$(1).o/%.o: %.c | deps-build
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$$(CC) $$(ALLCFLAGS) $(4) -MMD -MP -c $$< -o $$@
$(B)/cuda/$(1): $(patsubst %.c,$(B)/cuda/$(1).o/%.o,$(2)) $(B)/cuda/libregloom-cuda.so $(3)
	$$(call say,LD,$$@)
	$$(Q)$$(CC) -shared -Wl,-soname,$(1) -Wl,--version-script=$(3) $$(CUDA_LDFLAGS) '-Wl,-rpath,$$$$ORIGIN' -o $$@ $(patsubst %.c,$(B)/cuda/$(1).o/%.o,$(2)) \
	  -L$(B)/cuda -lregloom-cuda $$(ALLLDFLAGS) -pthread
endef
-include $(shell find $(wildcard $(B)/cuda) /dev/null -name '*.d' 2>/dev/null)
-include $(wildcard runtime-model/cuda/*/lib.mk)

install: install-cuda
.PHONY: install-cuda
install-cuda: all
	$(FOLDERS) $(DESTDIR)$(CUDA_DIR) $(DESTDIR)$(PREFIX)/bin
	install -m755 $(B)/regloom-run $(DESTDIR)$(PREFIX)/bin
	for f in $(CUDA_OUT); do install -m755 $$f $(DESTDIR)$(CUDA_DIR) || exit 1; done
uninstall: uninstall-cuda
.PHONY: uninstall-cuda
uninstall-cuda:
	rm -f $(DESTDIR)$(PREFIX)/bin/regloom-run
	rm -rf $(DESTDIR)$(CUDA_DIR)
