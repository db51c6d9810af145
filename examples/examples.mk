# Makes the examples' PTX again from their sources; the results are committed. Debian's clang alone does it, and the same
# clang gives the same bytes: paths in line directives are relative to the repository.
CLANG ?= clang-19

EXAMPLES := saxpy sgemm reduction bfs hotspot histogram nbody

EXAMPLE_FLAGS := -x cl -cl-std=CL1.2 -target nvptx64-nvidia-cuda -march=sm_50 -O3 -I. \
                 -gline-directives-only -fdebug-compilation-dir=. -Wall -Wextra -Werror

EXAMPLE_CL = examples/$(1)/$(1).cl

.PHONY: examples-ptx
examples-ptx: deps-clang
	@for e in $(EXAMPLES); do echo "$(CLANG) examples/$$e/$$e.ptx"; \
	  $(CLANG) $(EXAMPLE_FLAGS) -S examples/$$e/$$e.cl -o examples/$$e/$$e.ptx || exit 1; done
