# What redirects a runtime that is linked in statically. It lives beside the program, with a C library of its own, so without sanitizers; other processors have none yet.
ifeq ($(shell uname -m),x86_64)
STATIC_OBJ := $(patsubst %.c,$(B)/cuda/libregloom-static.so.o/%.o,$(sort $(wildcard runtime-model/cuda/static/*.c)))
CUDA_OUT += $(B)/cuda/libregloom-static.so
all: $(B)/cuda/libregloom-static.so
$(STATIC_OBJ): $(B)/cuda/libregloom-static.so.o/%.o: %.c | deps-build
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(filter-out $(SANFLAGS),$(ALLCFLAGS)) -MMD -MP -c $< -o $@
$(B)/cuda/libregloom-static.so: $(STATIC_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) -shared -Wl,-soname,libregloom-static.so -Wl,--build-id -Wl,-z,defs -o $@ $(STATIC_OBJ) $(LDFLAGS) -ldl
endif
