// What the JSON says, by kernel and configuration. Nothing is computed here but sums and maxima.
//   entry    one configuration of one file: its metrics, and if the file was made with --detail where its slots went
//   program  the code of a kernel as one entry ran it: instructions, and the source lines that they are from
import { sum } from './format.js';

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function entriesOf(file, index) {
	const r = file.result, detail = r.detail || {}, shared = { file: file.name, fileIndex: index, result: r, detail };
	const at = (i) => (detail.configurations || [])[i] || {};
	if (r.schema === 'regloom-compare-1')
		return r.configurations.map((c, i) => ({
			...shared, name: c.name, machine: c.machine, rf: c.rf, program: c.program, failed: c.failed, metrics: c.metrics || {}, kernels: c.kernels || {}, perturbed: c.perturbed,
			axes: c.axes, config: c.config || {}, explain: at(i).explain || null, energy: at(i).energy || null, cycles: c.launch_cycles,
		}));
	const list = [{
		...shared, name: r.rf || r.mode, machine: r.machine, rf: r.rf, program: r.program, failed: false, metrics: r.metrics, kernels: r.kernels || {}, perturbed: r.perturbed, axes: r.axes,
		config: r.config || {}, explain: at(0).explain || r.explain || null, energy: at(0).energy || null, cycles: (r.launches || []).map((l) => l.cycles),
	}];
	if (r.baseline)
		list.push({
			...shared, name: 'baseline', machine: r.machine, rf: 'baseline', program: 'plain', failed: false, metrics: r.baseline.metrics,
			kernels: r.baseline.kernels || {}, config: r.config || {}, explain: at(1).explain || null, energy: at(1).energy || null, cycles: null,
		});
	return list;
}

export function readReport(data) {
	const entries = [];
	for (const [i, file] of data.files.entries())
		for (const e of entriesOf(file, i)) {
			// Several runs have the same baseline beside them: it is shown once.
			const twin = entries.find((o) => o.name === e.name && o.rf === e.rf && o.machine === e.machine && same(o.metrics, e.metrics) && o.result.kernel === e.result.kernel);
			if (!twin || (e.explain && !twin.explain)) {
				if (twin)
					entries.splice(entries.indexOf(twin), 1);
				entries.push(e);
			}
		}
	for (const e of entries) {
		const alike = entries.filter((o) => o !== e && o.name === e.name && kernelsOf(o).some((k) => kernelsOf(e).includes(k)));
		e.label = !alike.length ? e.name : `${e.name} (${e.file}${alike.some((o) => o.file === e.file) ? ' ' + (entries.indexOf(e) + 1) : ''})`;
	}
	entries.forEach((e, i) => { e.id = i; });
	const kernels = [];
	for (const e of entries)
		for (const k of kernelsOf(e))
			if (!kernels.includes(k))
				kernels.push(k);
	return { title: data.title, entries, kernels };
}

export const kernelsOf = (entry) => [...new Set((entry.result.launches || []).map((l) => l.kernel))];
export const entriesWith = (report, kernel) => report.entries.filter((e) => kernelsOf(e).includes(kernel));

// Metrics of the kernel's launches; null if the run had several kernels and counted them together.
export function metricsOf(entry, kernel) {
	if (entry.failed)
		return null;
	const own = entry.kernels[kernel];
	return own ? own.metrics : kernelsOf(entry).length === 1 ? entry.metrics : null;
}

// The ratio of a metric under random delays (--perturb), or undefined.
export function noiseOf(entry, kernel, name) {
	const own = entry.kernels[kernel], of = (own && own.perturbed) || (kernelsOf(entry).length === 1 && entry.perturbed) || {};
	return of[name] && of[name].ratio;
}

export const explained = (entry, kernel) => (entry.explain ? entry.explain.kernels.find((k) => k.kernel === kernel) || null : null);

export function annotated(entry, kernel) {
	const d = entry.detail, document = (entry.program === 'variant' && d.variants) || d.annotations;
	return (document && document.kernels.find((k) => k.name === kernel)) || null;
}

// Code as `entry` ran it. If its instructions are not those that the annotations are of (a variant), the annotations are left out.
export function programOf(entry, kernel) {
	const ex = explained(entry, kernel);
	let ann = annotated(entry, kernel), foreign = false;
	if (ann && ex && ex.instructions.some((x) => !ann.instructions[x.index] || ann.instructions[x.index].text !== x.text))
		foreign = true;
	const shown = foreign ? null : ann, insns = [], files = new Map();
	const file = (name) => {
		if (!files.has(name))
			files.set(name, { name, lines: [], read: false, by: new Map() });
		return files.get(name);
	};
	const line = (name, n) => {
		const f = file(name);
		if (!f.by.has(n))
			f.by.set(n, { file: name, line: n, insns: [], slots: null, most: 0, text: null });
		return f.by.get(n);
	};
	const count = Math.max(shown ? shown.instructions.length : 0, ex ? Math.max(-1, ...ex.instructions.map((x) => x.index)) + 1 : 0);
	for (let i = 0; i < count; i++)
		insns.push({ index: i, text: '', block: null, file: null, line: null, slots: null, ann: null, ex: null });
	if (shown)
		for (const a of shown.instructions)
			Object.assign(insns[a.index], { text: a.text, block: a.block, ann: a, file: a.source ? a.source.file : null, line: a.source ? a.source.line : null });
	if (ex)
		for (const x of ex.instructions) {
			const i = insns[x.index], l = x.line === null ? null : ex.lines[x.line];
			Object.assign(i, { ex: x, slots: x.slots, text: i.text || x.text });
			if (l && l.file !== null && i.file === null)
				Object.assign(i, { file: l.file, line: l.line });
		}
	for (const i of insns)
		if (i.file !== null) {
			const l = line(i.file, i.line);
			l.insns.push(i.index);
			if (i.ann)
				l.most = Math.max(l.most, i.ann.live.registers);
		}
	for (const l of ex ? ex.lines : [])
		if (l.file !== null)
			Object.assign(line(l.file, l.line), { slots: l.slots, text: l.text, ex: l });
	// Where an instruction is from in the PTX file too, if its source line is of another file.
	const ptx = entry.detail.ptx, lines = ptx && ((entry.program === 'variant' && ptx.variant_lines) || ptx.lines)[kernel];
	for (const i of lines ? insns : [])
		if (lines[i.index] > 0 && i.file !== ptx.file) {
			const l = line(ptx.file, lines[i.index]);
			l.insns.push(i.index);
			l.most = Math.max(l.most, i.ann ? i.ann.live.registers : 0);
			if (i.slots)
				l.slots = added(l.slots || {}, i.slots);
		}
	for (const s of entry.detail.sources || [])
		if (s.lines)
			Object.assign(file(s.file), { lines: s.lines, read: true });
	const list = [...files.values()].map((f) => ({ ...f, rows: rowsOf(f) }));
	list.sort((a, b) => (ptx ? (a.name === ptx.file) - (b.name === ptx.file) : 0) || b.by.size - a.by.size);
	return { kernel, entry, ann: shown, foreign, ex, insns, files: list.filter((f) => f.rows.length), slots: ex ? sum(ex.slots) : 0, labels: labelsOf(shown) };
}

function added(a, b) {
	const c = { ...a };
	for (const r in b)
		c[r] = (c[r] || 0) + b[r];
	return c;
}

// All lines of a file that was read; else those that instructions are from, as far as they are known.
function rowsOf(f) {
	if (f.read)
		return f.lines.map((text, i) => ({ file: f.name, insns: [], slots: null, most: 0, ...f.by.get(i + 1), line: i + 1, text }));
	return [...f.by.values()].sort((a, b) => a.line - b.line);
}

function labelsOf(ann) {
	const at = new Map();
	for (const b of ann ? ann.blocks : [])
		if (b.instructions)
			at.set(b.first, b);
	return at;
}

// Registers a thread may use at most for so many CTAs of an SM, as the run's JSON gives it: one CTA more.
export function registerLimits(program) {
	const list = [];
	for (const o of program.ex ? program.ex.occupancy : [])
		for (const way of o.one_more)
			if (way.registers !== undefined && Object.keys(way).length === 1)
				list.push({ registers: way.registers, text: `at most ${way.registers}: one more CTA of ${o.threads} threads` });
	return list;
}
