# regloom-gpu, which asks a real GPU (docs/HARDWARE.md). The kernels that measure lie in it as machine code; `make gpu-kernels` writes them anew.
HARDWARE_KERNELS := $(B)/runtime-model/hardware/kernels/kernels.o
all: $(B)/regloom-gpu
$(HARDWARE_KERNELS): runtime-model/hardware/kernels/kernels.S $(wildcard runtime-model/hardware/kernels/*.zst) | deps-build
	@mkdir -p $(@D)
	$(call say,AS,$@)
	$(Q)$(CC) -c $< -o $@
$(B)/regloom-gpu: $(patsubst %.c,$(B)/%.o,$(wildcard runtime-model/hardware/*.c)) $(HARDWARE_KERNELS) $(B)/libregloom.a
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $^ $(ALLLDFLAGS) $(LDLIBS) -ldl
gpu-kernels: ## kernels that measure a GPU, runtime-model/hardware/kernels (ptxas)
	$(Q)runtime-model/hardware/kernels/make.py
