##@ Studies: the figures and tables of docs/results
papers: all | deps-study deps-clang ## all of the five papers: their figures for the examples, and every claim beside ours, docs/results/papers.md; QUICK=1: few examples, into build/papers; PAGES=1: the page of claims alone
	@test/study/papers.py $(B) $(if $(QUICK),$(B)/papers --quick,docs/results $(if $(PAGES),--pages))
study-all: all | deps-study ## every technique and combinations on the same work, docs/results/all.md; QUICK=1: few, printed
	@test/study/all.py $(B) $(if $(QUICK),--quick,docs/results)
study-allocation: all | $(if $(VARIANTS),deps-clang) ## what each part of the allocation to the ORF is worth, docs/results/allocation.md; VARIANTS=1: 32-bit addresses, printed
	@test/study/allocation.py $(B) $(if $(VARIANTS),--variants,docs/results/allocation.md)
study-banks: all ## register banks and reuse flags of machine code, docs/results/banks.md
	@test/study/banks.py $(B) docs/results/banks.md
study-compact: all $(B)/test/p_compact ## how many MOVs index compaction needs beside the fewest, docs/results/compact_gap.md
	@test/study/compact_gap.py $(B) docs/results/compact_gap.md
study-corf: all | deps-study deps-clang ## CORF's table and figures for the examples, docs/results/corf.md; QUICK=1: four, printed; VARIANTS=1
	@test/study/corf.py $(B) $(if $(QUICK),--quick,docs/results) $(if $(VARIANTS),--variants)
study-coverage: all $(B)/test/coverage ## how much of the machine code in CUDA's libraries can be executed, docs/results/coverage.md; LIBRARIES=DIR, MOST=N cubins of a library for a target
	@test/study/coverage.py $(B) docs/results/coverage.md $(or $(LIBRARIES),/usr/local/cuda/lib64) $(MOST)
study-energy: all ## where the energy of a GPU goes, docs/results/energy.md
	@test/study/energy.py $(B) docs/results/energy.md
study-freq: all ## estimated block frequencies beside those of a run, printed
	@test/study/freq.py $(B)
study-gscalar: all | deps-study $(if $(VARIANTS),deps-clang) ## all figures of G-Scalar for the examples, docs/results/gscalar.md; ALL=1: all examples, gscalar_all.md; QUICK=1: few, printed; VARIANTS=1: 32-bit addresses, printed
	@test/study/gscalar.py $(B) $(if $(QUICK),--quick,$(if $(VARIANTS),--narrow,docs/results)) $(if $(ALL),--all)
study-hierarchy: all | deps-study ## all figures of the register-file hierarchy for the examples, docs/results/{hierarchy,usage,two_level}.md; ALL=1: all examples, hierarchy_all.md; QUICK=1: few, printed
	@test/study/hierarchy.py $(B) $(if $(QUICK),--quick,docs/results) $(if $(ALL),--all)
	$(if $(QUICK)$(ALL),,@test/study/usage.py $(B) docs/results && test/study/two_level.py $(B) docs/results)
study-hints: all ## what pairs and alignment keep of the examples, docs/results/hints.md
	@test/study/hints.py $(B) docs/results/hints.md
study-modern: all | deps-study ## the five techniques on machine code and a core of today, beside the GTX 480, docs/results/modern.md (ptxas); QUICK=1: few, printed
	@test/study/modern.py $(B) $(if $(QUICK),--quick,docs/results)
study-native: all ## machine code of ptxas beside what we compile, on one core, docs/results/native.md
	@test/study/native.py $(B) docs/results/native.md
study-orf: all ## how far the greedy allocation to the ORF is from the best one, docs/results/orf_gap.md
	@test/study/orf_gap.py $(B) docs/results/orf_gap.md
study-placement: all ## what it costs to hold the registers that warps share, by placement, docs/results/placement.md
	@test/study/placement.py $(B) docs/results/placement.md
study-registers: all ## what registers let onto an SM of 128 and 64 KB, and how many are alive, docs/results/registers.md
	@test/study/registers.py $(B) docs/results/registers.md
study-regmutex: all | deps-study deps-clang ## all figures of RegMutex for the examples, docs/results/{regmutex,live_registers}.md; QUICK=1: few, printed
	@test/study/live_registers.py $(B) $(if $(QUICK),--quick,docs/results)
	@test/study/regmutex.py $(B) $(if $(QUICK),--quick,docs/results)
study-sass: all ## live registers beside declared ones of the cubins in test/sass, docs/results/sass.md
	@test/study/sass.py $(B) docs/results/sass.md
study-schedule: all ## what the order of the instructions is worth to an ORF, docs/results/schedule.md
	@test/study/schedule.py $(B) docs/results/schedule.md
study-suite: all ## the claims for programs of a Rodinia and a Parboil tree, docs/results/suite.md; SUITE="DIR DIR" (nvcc)
	@$(if $(SUITE),,$(error SUITE="DIR DIR" says where the trees are))test/study/suite.py $(B) docs/results $(SUITE)
study-trips: all ## trip counts of machine code beside those of its PTX, docs/results/trips.md (ptxas)
	@test/study/trips.py $(B) docs/results/trips.md
study-two-level: all | deps-study ## IPC over the number of active warps, docs/results/two_level.md
	@test/study/two_level.py $(B) docs/results
study-usage: all | $(if $(VARIANTS),deps-clang) ## how the values in registers of the examples are used, docs/results/usage.md; VARIANTS=1: 32-bit addresses, printed
	@test/study/usage.py $(B) docs/results $(if $(VARIANTS),--variants)
study-wir: all | deps-study ## all figures of WIR for the examples, docs/results/wir.md; ALL=1: all examples, wir_all.md; QUICK=1: few, printed
	@test/study/wir.py $(B) $(if $(QUICK),--quick,docs/results) $(if $(ALL),--all)
