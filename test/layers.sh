#!/bin/bash
# Includes point one way (docs/ARCHITECTURE.md): each folder may include only from the folders named after it.
set -u
cd "$(dirname "$0")/.." || exit 1
bad=0
layer() { # FILES-GLOB ALLOWED-PREFIX...
	local files=$1 allowed; shift
	allowed=$(IFS='|'; echo "$*")
	# shellcheck disable=SC2086
	while IFS= read -r line; do
		echo "layer violation: $line"; bad=1
	done < <(grep -nE '#include "(analyzer|passes|runtime-model)/' $files /dev/null | grep -vE "#include \"($allowed)")
}
base='analyzer/base/' ir='analyzer/ir/' passes='passes/'
layer 'analyzer/base/*.[ch]' "$base"
layer 'analyzer/ir/*.[ch] analyzer/ir/*.def' "$base" "$ir"
layer 'passes/*.[ch]' "$base" "$ir" "$passes"
layer 'passes/graph/*.[ch]' "$base" 'passes/graph/'
layer 'analyzer/ptx/*.[ch]' "$base" "$ir" "$passes" 'analyzer/ptx/'
layer 'analyzer/emit/*.[ch]' "$base" "$ir" "$passes" 'analyzer/sass/' 'analyzer/emit/'
layer 'analyzer/elf/*.[ch]' "$base" "$ir" "$passes" 'analyzer/cubin/' 'analyzer/elf/'
layer 'analyzer/cubin/*.[ch]' "$base" 'analyzer/cubin/'
layer 'analyzer/sass/*.[ch]' "$base" "$ir" "$passes" 'analyzer/cubin/' 'analyzer/sass/'
layer 'analyzer/llvm/*.[ch]' "$base" 'analyzer/llvm/'
layer 'analyzer/sass/sass.h analyzer/sass/table.[ch] analyzer/sass/*code.c analyzer/sass/print.c' "$base" 'analyzer/sass/'
layer 'analyzer/fatbin/*.[ch]' "$base" 'analyzer/cubin/cubin.h' 'analyzer/fatbin/' 'analyzer/ptx/lex.h'
layer 'analyzer/lib/*.[ch]' analyzer/ "$passes"
layer 'runtime-model/engine/*.[ch]' "$base" "$ir" "$passes" 'runtime-model/engine/'
layer 'runtime-model/launch/*.[ch]' "$base" "$ir" 'runtime-model/engine/' 'runtime-model/launch/'
layer 'runtime-model/repeat/*.[ch]' "$base" "$ir" 'runtime-model/engine/record.h' 'runtime-model/reuse/code.h' 'runtime-model/repeat/'
layer 'runtime-model/explain/*.[ch]' "$base" "$ir" 'analyzer/emit/' 'runtime-model/engine/record.h' 'runtime-model/[a-z_]*\.' 'runtime-model/repeat/repeat.h' 'runtime-model/reuse/code.h' 'runtime-model/explain/'
layer 'runtime-model/html/*.[ch]' "$base" "$ir" "$passes" 'analyzer/emit/' 'runtime-model/[a-z_]*\.' 'runtime-model/explain/explain.h' 'runtime-model/launch/launch.h' 'runtime-model/html/'
layer 'runtime-model/trace/*.[ch]' "$base" "$ir" 'runtime-model/[a-z_]*\.' 'runtime-model/trace/'
layer 'runtime-model/usage/*.[ch]' "$base" "$ir" 'runtime-model/engine/engine.h' 'runtime-model/engine/feed.h' 'runtime-model/usage/'
layer 'runtime-model/similar/*.[ch]' "$base" "$ir" "$passes" 'analyzer/emit/' 'runtime-model/engine/' 'runtime-model/encode.h' 'runtime-model/uniform_seen.h' 'runtime-model/similar/'
layer 'runtime-model/sweep/*.[ch]' "$base" "$ir" 'analyzer/elf/rlo.h' 'runtime-model/[a-z_]*\.' 'runtime-model/engine/engine.h' 'runtime-model/launch/' 'runtime-model/sweep/'
layer 'runtime-model/memory/*.[ch]' "$base" "$ir" 'runtime-model/[a-z_]*\.' 'runtime-model/memory/'
layer 'runtime-model/sm/*.[ch]' "$base" "$ir" "$passes" 'runtime-model/engine/record.h' 'runtime-model/[a-z_]*\.' 'runtime-model/memory/' 'runtime-model/sm/'
layer 'runtime-model/cuda/core/*.[ch]' "$base" "$ir" 'passes/pass.h' 'analyzer/ptx/ptx.h' 'analyzer/fatbin/fatbin.h' 'analyzer/elf/rlo.h' 'runtime-model/engine/engine.h' 'runtime-model/engine/copy.h' 'runtime-model/memory/memory.h' 'runtime-model/[a-z_]*\.' 'runtime-model/cuda/core/'
layer 'runtime-model/cuda/core/core.h runtime-model/cuda/core/work.h runtime-model/cuda/core/pool.h runtime-model/cuda/core/virtual.h' 'runtime-model/cuda/core/core.h' 'runtime-model/cuda/core/pool.h' 'runtime-model/cuda/core/status.def'
layer 'runtime-model/cuda/runtime/*.[ch] runtime-model/cuda/runtime/*.def' 'analyzer/base/arena.h' 'runtime-model/cuda/core/core.h' 'runtime-model/cuda/core/work.h' 'runtime-model/cuda/core/pool.h' 'runtime-model/cuda/runtime/'
layer 'runtime-model/cuda/driver/*.[ch]' 'runtime-model/cuda/core/core.h' 'runtime-model/cuda/core/work.h' 'runtime-model/cuda/core/pool.h' 'runtime-model/cuda/core/virtual.h' 'runtime-model/cuda/driver/'
layer 'runtime-model/cuda/run/*.[ch]' "$base" 'runtime-model/cuda/core/options.h'
for axis in issue residency packing hierarchy values reuse; do
	layer "runtime-model/$axis/*.[ch]" "$base" "$ir" "$passes" 'analyzer/elf/rlo.h' 'runtime-model/engine/record.h' 'runtime-model/[a-z_]*\.' "runtime-model/$axis/"
done
[ $bad = 0 ] && echo "layers: includes point one way"
exit $bad
