// The source beside the machine code, each line with its share of issue slots and the registers live there.
import { el, picker, replace } from './dom.js';
import { makeList } from './list.js';
import { baseName, number, percent, sum, word } from './format.js';
import { placeOfInsn, placeOfLine } from './store.js';

const reasonsText = (slots, whole) => Object.entries(slots).sort((a, b) => b[1] - a[1]).map(([r, n]) => `${word(r)} ${percent(n, whole)}`).join(', ');

// A bar: issued, then stalled, of the line with most slots.
function bar(slots, whole, most) {
	if (!slots || !whole)
		return el('span', { class: 'bar' });
	const all = sum(slots), issued = slots.issued || 0, width = (n) => (100 * n / most).toFixed(2) + '%';
	return el('span', { class: 'bar', title: `${percent(all, whole)} of all issue slots: ${reasonsText(slots, whole)}` }, el('i', { class: 'issued', style: { width: width(issued) } }),
		el('i', { class: 'stalled', style: { width: width(all - issued) } }), all > 0 && el('b', {}, (100 * all / whole).toFixed(1)));
}

function live(n, most) {
	return el('span', { class: 'live', title: `${n} registers live` }, el('i', { style: { width: (most ? 100 * n / most : 0) + '%' } }), el('b', {}, String(n)));
}

const places = { 'MRF': 'main register file' };
function insnRow(app, x, most) {
	const a = x.ann, p = a && a.places, org = app.organisation;
	const out = el('div', { title: x.text }, el('span', { class: 'no' }, String(x.index)), a ? live(a.live.registers, most.live) : el('span', { class: 'live' }), bar(x.slots, app.program.slots, most.slots),
		el('span', { class: 'strand', title: a && a.strand_begins ? `strand ${a.strand} begins: ${a.strand_begins.join(', ')}` : null }, a && a.strand_begins ? '\u2504' + a.strand : ''),
		el('code', {}, x.text));
	if (p && p[org] && p[org].some((w) => w !== 'MRF')) {
		const names = [...p.reads, ...p.writes], n = p.reads.length;
		out.append(el('span', { class: 'places' }, names.map((r, i) => p[org][i] !== 'MRF' && el('em', { title: `${r} is ${i < n ? 'read from' : 'written to'} ${places[p[org][i]] || p[org][i]}` },
			(i < n ? r + '\u2190' : r + '\u2192') + p[org][i]))));
	}
	return out;
}

function labelRow(b) {
	return el('div', { class: 'label', title: `block ${b.index}, executed ${number(b.executions)} times by estimate, loop depth ${b.loop_depth}` }, el('code', {}, (b.label || 'block ' + b.index) + ':'),
		b.loop_depth ? el('span', { class: 'soft' }, ' loop depth ' + b.loop_depth) : null);
}

function sourceRow(app, l, most) {
	return el('div', { class: l.insns.length ? '' : 'idle' }, el('span', { class: 'no' }, String(l.line)), l.insns.length && app.program.ann ? live(l.most, most.live) : el('span', { class: 'live' }),
		bar(l.slots, app.program.slots, most.lines), el('code', {}, l.text === null ? '(the source file was not found)' : l.text.replace(/\t/g, '    ')));
}

export function makeCode(app) {
	let file = null, most = {};
	const sourceHead = el('h2', {}), codeHead = el('h2', {}), note = el('p', { class: 'missing', hidden: true });
	const point = (origin) => (place) => app.store.point(place, origin);
	let over = null;
	const source = makeList('source', 'source lines', {
		row: (l) => sourceRow(app, l, most),
		hover: (l) => { if (over !== l) { over = l; point('source')(l ? placeOfLine(l) : null); } },
		choose: (l) => app.store.select(placeOfLine(l), 'source'),
	});
	const machine = makeList('machine', 'machine instructions', {
		row: (r) => (r.label ? labelRow(r.label) : insnRow(app, r.insn, most)),
		hover: (r) => { if (over !== r) { over = r; point('machine')(r && r.insn ? placeOfInsn(app.program, r.insn.index) : null); } },
		choose: (r) => { if (r.insn) app.store.select(placeOfInsn(app.program, r.insn.index), 'machine'); },
	});
	const columns = (what) => el('p', { class: 'columns' }, el('span', { class: 'no' }, what), el('span', { class: 'live' }, 'live'), el('span', { class: 'bar' }, '% of slots'));
	const section = el('section', { class: 'code', 'aria-label': 'code' }, el('div', { class: 'pane' }, sourceHead, columns('line'), source.box), el('div', { class: 'pane' }, codeHead, columns('no.'), note, machine.box));

	function openFile(name) {
		file = app.program.files.find((f) => f.name === name) || app.program.files[0] || null;
		const files = app.program.files;
		replace(sourceHead, 'Source ', files.length > 1 ? picker('', files.map((f) => [f.name, baseName(f.name)]), file.name, openFile) : file ? el('span', { class: 'soft', title: file.name }, baseName(file.name)) : '',
			file && !file.read ? el('span', { class: 'soft' }, ' (only lines that the run names; made without --detail)') : '');
		source.fill(file ? file.rows : []);
	}
	function fill() {
		const p = app.program, sizes = [1, ...p.insns.map((x) => (x.slots ? sum(x.slots) : 0))];
		most = {
			live: Math.max(1, ...p.insns.map((x) => (x.ann ? x.ann.live.registers : 0))), slots: Math.max(...sizes),
			lines: Math.max(1, ...p.files.flatMap((f) => f.rows.map((l) => (l.slots ? sum(l.slots) : 0)))),
		};
		const rows = [];
		for (const x of p.insns) {
			if (p.labels.has(x.index))
				rows.push({ label: p.labels.get(x.index) });
			rows.push({ insn: x });
		}
		replace(codeHead, 'Machine code ', el('span', { class: 'soft' }, p.kernel));
		note.hidden = rows.length > 0;
		replace(note, 'This file was made without --detail: sm-model run ... --json FILE --detail adds the code.');
		machine.fill(rows);
		openFile(p.files[0] && p.files[0].name);
	}
	const inPlace = (place) => { const set = new Set(place.insns); return (r) => r.insn && set.has(r.insn.index); };
	const onLine = (place) => { const set = new Set(place.insns); return (l) => file && ((place.file === file.name && l.line === place.line) || l.insns.some((i) => set.has(i))); };
	app.store.on('hover', (place) => {
		machine.mark(place && inPlace(place));
		source.mark(place && onLine(place));
	});
	app.store.on('select', (place, origin) => {
		if (place && file && place.file && place.file !== file.name && app.program.files.some((f) => f.name === place.file))
			openFile(place.file);
		machine.choose(place && inPlace(place), origin !== 'machine');
		source.choose(place && onLine(place), origin !== 'source');
	});
	addEventListener('beforeprint', () => { source.whole(true); machine.whole(true); });
	addEventListener('afterprint', () => { source.whole(false); machine.whole(false); });
	return { section, fill, source, machine, file: () => file };
}
