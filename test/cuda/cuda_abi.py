#!/usr/bin/env python3
"""What the runtime libraries export, and abi.h beside NVIDIA's headers: every size, offset and enumerator. Needs the headers of CUDA 13 for the latter.
With --write, the table of functions in docs/CUDA_DEVICE.md is made anew; else it must be as cudart.def says. The same names are asked of both headers by a C program each: what abi.h declares is found by reading it."""
import os, re, subprocess, sys, tempfile

B = sys.argv[1]
os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
ABI = 'runtime-model/cuda/runtime/abi.h'
passed = failed = skipped = 0


def check(name, wrong):
    global passed, failed
    passed, failed = passed + (not wrong), failed + bool(wrong)
    print(('FAIL  ' if wrong else 'ok    ') + name)
    for w in wrong[:20]:
        print('      ' + w)


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def rows():
    """Names of cudart.def, by version: {12: {name: there}, 13: ...}"""
    out = {12: {}, 13: {}}
    for line in open('runtime-model/cuda/runtime/cudart.def'):
        m = re.match(r'(FN|FX|NO)\((BOTH|ONLY12|ONLY13), "[^"]*", (?:[^,(]+, )?(\w+)(?:\)|, \()', line)
        if m:
            for v in (12, 13):
                if m[2] in ('BOTH', f'ONLY{v}'):
                    out[v][m[3]] = m[1] != 'NO'
    return out


def exports(path):
    return {m[1] for m in re.finditer(r' [TW] (\w+)@@?libcudart\.so\.1[123](?:\.0)?$', run('nm', '-D', '--defined-only', path).stdout, re.M)}


def members(body, prefix):
    """Paths of fields of a struct's or union's body."""
    at = 0
    while at < len(body):
        m = re.match(r'\s*(struct|union)\s*\{', body[at:])
        if m:
            depth, i = 1, at + m.end()
            while depth:
                depth += {'{': 1, '}': -1}.get(body[i], 0)
                i += 1
            name = re.match(r'\s*(\w*)\s*;', body[i:])
            inner = prefix + (name[1] + '.' if name[1] else '')
            if name[1]:
                yield prefix + name[1]
            yield from members(body[at + m.end():i - 1], inner)
            at = i + name.end()
            continue
        m = re.match(r'\s*([^;{]+);', body[at:])
        if not m:
            return
        for part in m[1].split(','):
            f = re.search(r'(\w+)\s*(\[[^\]]*\])*\s*$', part)
            yield prefix + f[1]
        at += m.end()


def questions(version):
    text = run('gcc', '-E', '-P', f'-DCUDART={version}', '-I.', ABI).stdout
    text = re.sub(r'_Static_assert\([^;]*;', '', text)
    asked = []
    for m in re.finditer(r'\b(enum|struct|union)\s*(\w*)\s*\{', text):
        depth, i = 1, m.end()
        before = text[:m.start()]
        if before.count('{') != before.count('}'):
            continue                                # within another
        if m[1] != 'enum' and not m[2]:
            continue                                # of a system header
        while depth:
            depth += {'{': 1, '}': -1}.get(text[i], 0)
            i += 1
        body = text[m.end():i - 1]
        if m[1] == 'enum':
            asked += [('value', e) for e in re.findall(r'(?:^|,)\s*(\w+)', body)]
        else:
            asked.append(('size', f'{m[1]} {m[2]}'))
            asked += [('offset', f'{m[1]} {m[2]}', f) for f in members(body, '')]
    return asked


def answers(asked, include, flags, tmp):
    def line(q):
        if q[0] == 'value':
            return f'\tprintf("{q[1]} %lld\\n", (long long)({q[1]}));'
        if q[0] == 'size':
            return f'\tprintf("{q[1]} is %zu bytes\\n", sizeof({q[1]}));'
        return f'\tprintf("{q[1]}.{q[2]} at %zu, %zu bytes\\n", offsetof({q[1]}, {q[2]}), sizeof((({q[1]} *)0)->{q[2]}));'
    c, exe = os.path.join(tmp, 'q.c'), os.path.join(tmp, 'q')
    open(c, 'w').write('#include <stddef.h>\n#include <stdio.h>\n' + include + '\nint main(void)\n{\n' + '\n'.join(map(line, asked)) + '\n\treturn 0;\n}\n')
    made = run('gcc', '-w', *flags, c, '-o', exe)
    return run(exe).stdout.split('\n') if made.returncode == 0 else made.stderr.split('\n')


PAGE, BEGIN, END = 'docs/CUDA_DEVICE.md', '<!-- functions: made by `make cuda-functions` -->\n', '<!-- end of functions -->\n'


def table():
    """Which functions are missing, a row for each chapter that lacks some; _ptsz and _ptds forms go with their function."""
    chapters = {}
    for line in open('runtime-model/cuda/runtime/cudart.def'):
        m = re.match(r'(FN|FX|NO)\((BOTH|ONLY12|ONLY13), "([^"]*)", (?:[^,(]+, )?(\w+?)(?:_pts[z]|_ptds)?(?:\)|, \()', line)
        if m:
            chapters.setdefault(m[3], {}).setdefault(m[4], (m[1] != 'NO', set()))[1].add(m[2])
    out = ['| chapter of `cudart.def` | missing |', '|---|---|']
    for chapter, names in chapters.items():
        missing = ', '.join(f'`{n}`' + ('' if len(v) > 1 or v == {'BOTH'} else f' ({min(v)[4:]})') for n, (is_there, v) in sorted(names.items()) if not is_there)
        if missing:
            out.append(f'| {chapter} | {missing if any(is_there for is_there, _ in names.values()) else f"all {len(names)}"} |')
    return '\n'.join(out) + '\n'


page = open(PAGE).read()
before, rest = page.split(BEGIN)
after = rest.split(END)[1]
new = before + BEGIN + table() + END + after
if sys.argv[2:] == ['--write']:
    open(PAGE, 'w').write(new)
    page = new
check(f'{PAGE} lists the functions of cudart.def', [] if new == page else ['make cuda-functions'])
there = rows()
for v, so in (12, '11.0'), (12, '12'), (13, '13'):
    got = exports(f'{B}/cuda/libcudart.so.{so}')
    check(f'libcudart.so.{so} exports the names of cudart.def and no others ({len(got)})', [f'not exported: {n}' for n in sorted(set(there[v]) - got)] +
          [f'not in cudart.def: {n}' for n in sorted(got - set(there[v]))] + ([] if len(got) > 400 else ['too few']))

nvcc = run('sh', '-c', 'PATH=$PATH:/usr/local/cuda/bin; readlink -f "$(command -v nvcc)"').stdout.strip()
home = os.path.dirname(os.path.dirname(nvcc))
header = os.path.join(home, 'include/cuda_runtime_api.h')
if nvcc and os.path.exists(header) and re.search(r'#define CUDART_VERSION\s+13', open(header).read()):
    asked = questions(13)
    with tempfile.TemporaryDirectory() as tmp:
        ours = answers(asked, f'#include "{ABI}"', ['-DCUDART=13', '-I.'], tmp)
        theirs = answers(asked, '#include <cuda_runtime_api.h>', [f'-I{home}/include'], tmp)
    check(f'abi.h is laid out as the headers of CUDA 13 are ({len(asked)} sizes, offsets and enumerators)',
          [f'{a} | {b}' for a, b in zip(ours, theirs) if a != b] + ([] if len(ours) == len(theirs) > 800 else ['not as many answers', *theirs[:5]]))
    status = [('value', m[2], int(m[1])) for m in re.finditer(r'STATUS\(\w+,\s*(\d+), "(\w+)"', open('runtime-model/cuda/core/status.def').read())]
    with tempfile.TemporaryDirectory() as tmp:
        theirs = answers(status, '#include <cuda_runtime_api.h>', [f'-I{home}/include'], tmp)
    check(f'statuses have the numbers of the headers ({len(status)})', [f'{n} {k} | {t}' for (_, n, k), t in zip(status, theirs) if f'{n} {k}' != t])
    with tempfile.TemporaryDirectory() as tmp:
        c = os.path.join(tmp, 'p.c')
        open(c, 'w').write('#include <cuda_runtime_api.h>\n#include <cuda_profiler_api.h>\n#define ONLY12(...)\n#define ONLY13(...) __VA_ARGS__\n#define BOTH(...) __VA_ARGS__\n'
                           '#define FN(v, chapter, name, types) v(cudaError_t name types;)\n#define FX(v, chapter, type, name, types) v(type name types;)\n'
                           '#define NO(v, chapter, name)\n#include "runtime-model/cuda/runtime/cudart.def"\n')
        check('functions have the arguments of the headers', [w for w in run('gcc', '-fsyntax-only', '-w', '-I.', f'-I{home}/include', c).stderr.split('\n') if 'error' in w])
    nvidia = os.path.join(home, 'lib/libcudart.so.13')
    if os.path.exists(nvidia):
        check("libcudart.so.13 exports the names that NVIDIA's does", [f'{n} of one only' for n in sorted(exports(nvidia) ^ set(there[13]))])
else:
    skipped += 1
    print('skip  abi.h beside the headers of CUDA 13 (not here)')
# Of 12 there are no headers here: the sizes that its programs have (LLVM IR of programs compiled with it).
with tempfile.TemporaryDirectory() as tmp:
    got = dict(re.findall(r'(?:struct|union) (\w+) is (\d+) bytes', '\n'.join(answers([q for q in questions(12) if q[0] == 'size'], f'#include "{ABI}"', ['-DCUDART=12', '-I.'], tmp))))
want = {'cudaDeviceProp': 1032, 'cudaPointerAttributes': 24, 'cudaResourceDesc': 64, 'cudaLaunchParams': 56, 'cudaMemcpy3DParms': 160, 'cudaFuncAttributes': 144}
check('sizes of CUDA 12', [f'{n}: {got.get(n)}, not {w} bytes' for n, w in want.items() if got.get(n) != str(w)])
print(f'{passed} passed, {failed} failed' + (f', {skipped} skipped' if skipped else ''))
sys.exit(failed > 0)
