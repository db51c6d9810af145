# regloom-gpu, which asks a real GPU (docs/HARDWARE.md). The kernels that measure lie in it as machine code; `make gpu-kernels` writes them anew.
HARDWARE_KERNELS := $(B)/runtime-model/hardware/kernels/kernels.o
all: $(B)/regloom-gpu
$(HARDWARE_KERNELS): runtime-model/hardware/kernels/kernels.S $(wildcard runtime-model/hardware/kernels/*.zst) | deps-build
	@mkdir -p $(@D)
	$(call say,AS,$@)
	$(Q)$(CC) -c $< -o $@
# It calls functions by the types of driver.def, whose handles are void *.
$(B)/runtime-model/hardware/driver.o: SANFLAGS += $(if $(and $(SAN),$(findstring clang,$(CC))),-fno-sanitize=function)
$(B)/regloom-gpu: $(patsubst %.c,$(B)/%.o,$(wildcard runtime-model/hardware/*.c)) $(HARDWARE_KERNELS) $(B)/libregloom.a
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $^ $(CUDA_LDFLAGS) $(ALLLDFLAGS) $(LDLIBS) -ldl
gpu-kernels: ## kernels that measure a GPU, runtime-model/hardware/kernels (ptxas)
	$(Q)runtime-model/hardware/kernels/make.py
# Kernels with launch files for `regloom-gpu verify --suite`: the examples, the conformance suite and 200 random ones.
GPU_SUITE := $(B)/gpu-suite
gpu-suite: all $(B)/test/conform $(B)/test/native_random ## kernels for regloom-gpu verify, in build/gpu-suite; SM=80: random ones of what it has
	$(Q)rm -rf $(GPU_SUITE) && mkdir -p $(GPU_SUITE)/random $(GPU_SUITE)/conform $(GPU_SUITE)/examples
	$(Q)for f in examples/*/*.yaml; do cp $${f%.yaml}.* $(GPU_SUITE)/examples; done
	$(Q)cp test/conform/kernels/* $(GPU_SUITE)/conform
	$(Q)cd $(GPU_SUITE)/conform && for f in *.fault; do rm $${f%.fault}.*; done
	$(Q)$(B)/test/conform --write $(GPU_SUITE)/conform
	$(Q)$(B)/test/native_random $(GPU_SUITE)/random --write $(or $(SM),80) 200
install: install-gpu
.PHONY: install-gpu uninstall-gpu
install-gpu: all
	$(FOLDERS) $(DESTDIR)$(PREFIX)/bin
	install -m755 $(B)/regloom-gpu $(DESTDIR)$(PREFIX)/bin
uninstall: uninstall-gpu
uninstall-gpu:
	rm -f $(DESTDIR)$(PREFIX)/bin/regloom-gpu
