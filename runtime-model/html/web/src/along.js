// Charts whose x axis is the code: how many registers are live, which strand it is, where operands are, where slots went.
import { axisStyle, colour, css, decal, legend, reasonColour, tip, tooltip } from './charts.js';
import { number, percent, reasonsOf, short, sum, word } from './format.js';
import { registerLimits } from './model.js';
import { placeOfInsn } from './store.js';

const noDetail = (what) => `${what} is not in this file. sm-model run ... --json FILE --detail, or compare with it, adds it.`;

function codeAxis(program, more) {
	return { type: 'category', data: program.insns.map((x) => x.index), name: 'instruction', nameLocation: 'middle', nameGap: 26, ...axisStyle(), splitLine: { show: false }, axisPointer: { show: true, type: 'line', label: { show: false }, lineStyle: { color: css('accent') } }, ...more };
}

function zoom(program) {
	const list = [{ type: 'inside', zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false, moveOnMouseMove: true, filterMode: 'none' }];
	if (program.insns.length > 60)
		list.push({ type: 'slider', height: 16, bottom: 4, brushSelect: false, filterMode: 'none', textStyle: { color: css('soft') }, borderColor: css('line'), fillerColor: css('grid'), handleStyle: { color: css('accent') }, dataBackground: { lineStyle: { opacity: 0 }, areaStyle: { opacity: 0 } }, showDataShadow: false });
	return list;
}

const where = (x) => (x.file === null ? '' : `${x.file}:${x.line}`);
const head = (x) => `${x.index}: ${x.text}`;

// Runs of instructions of one strand: [strand, first, last, why it begins].
export function strandsOf(program) {
	const list = [];
	for (const x of program.insns) {
		const s = x.ann ? x.ann.strand : undefined, l = list[list.length - 1];
		if (s === undefined)
			continue;
		if (l && l.strand === s && l.last === x.index - 1 && !x.ann.strand_begins)
			l.last = x.index;
		else
			list.push({ strand: s, first: x.index, last: x.index, why: x.ann.strand_begins || [] });
	}
	return list;
}

function strandAreas(program) {
	const list = strandsOf(program), wide = (s) => s.last - s.first + 1 >= program.insns.length / 40;
	return { silent: true, data: list.map((s, i) => [s, i]).filter(([s, i]) => i % 2 === 0 || wide(s)).map(([s, i]) => [
		{ xAxis: s.first, name: String(s.strand), itemStyle: { color: i % 2 ? 'transparent' : css('band') }, label: { show: wide(s), color: css('soft'), position: 'insideBottom', fontSize: 10, formatter: (p) => p.name } },
		{ xAxis: s.last }]) };
}

export const pressure = {
	id: 'pressure', title: 'Register pressure along the code', wide: true, code: true, height: 300,
	about: 'Registers of a thread that are live before each instruction. Shaded bands are strands; dashed lines are what the kernel takes and what would let in more CTAs. Ctrl + wheel zooms.',
	draw(program) {
		const k = program.ann;
		if (!k)
			return noDetail('The pressure of each instruction');
		const live = program.insns.map((x) => x.ann.live.registers), occupied = program.insns.map((x) => x.ann.occupied.registers);
		const lines = [{ yAxis: k.resources.registers, name: `${k.resources.registers} taken`, lineStyle: { color: colour('red') } }];
		for (const l of registerLimits(program))
			if (l.registers !== k.resources.registers && l.registers < 2 * k.resources.registers)
				lines.push({ yAxis: l.registers, name: l.text, lineStyle: { color: colour('green') } });
		const where0 = k.max_live.instruction;
		return {
			says: `at most ${k.max_live.registers} registers are live, before instruction ${where0}; ${k.resources.registers} are taken`,
			at: (x) => placeOfInsn(program, x),
			option: {
				grid: { left: 54, right: 16, top: 34, bottom: program.insns.length > 60 ? 62 : 44 }, legend: legend(['live before', 'held during']), dataZoom: zoom(program), xAxis: codeAxis(program),
				yAxis: { type: 'value', name: 'registers', nameLocation: 'middle', nameGap: 32, minInterval: 1, max: (v) => Math.max(v.max, ...lines.map((l) => l.yAxis)) + 1, ...axisStyle() },
				tooltip: tooltip((p) => {
					const x = program.insns[[].concat(p)[0].dataIndex];
					return tip(head(x), [[colour('blue'), 'live before', x.ann.live.registers], [colour('orange'), 'held during', x.ann.occupied.registers],
						[null, 'predicates', x.ann.live.predicates], [null, 'read for the last time', x.ann.last_read.join(' ') || '-'], [null, 'strand', x.ann.strand ?? '-']], where(x));
				}, { trigger: 'axis' }),
				series: [
					{ name: 'live before', type: 'line', step: 'middle', symbol: 'none', data: live, color: colour('blue'), lineStyle: { width: 1.5 }, areaStyle: { opacity: 0.25 }, markArea: strandAreas(program),
						markLine: { silent: true, symbol: 'none', label: { position: 'insideEndTop', color: css('ink'), formatter: (p) => p.name }, lineStyle: { type: 'dashed' }, data: lines } },
					{ name: 'held during', type: 'line', step: 'middle', symbol: 'none', data: occupied, color: colour('orange'), lineStyle: { width: 1, type: 'dotted' } },
				],
			},
			table: { columns: ['instruction', 'text', 'live before', 'held during', 'predicates live', 'source'], rows: program.insns.map((x) => ({ place: placeOfInsn(program, x.index),
				cells: [x.index, x.text, x.ann.live.registers, x.ann.occupied.registers, x.ann.live.predicates, where(x)] })) },
		};
	},
};

export const slotsAlong = {
	id: 'slots-code', title: 'Issue slots along the code', wide: true, code: true, height: 280,
	about: 'Issue slots that counted for each instruction, by reason: one that issued, or that stayed empty while a warp stood there.',
	draw(program) {
		if (!program.ex)
			return noDetail('Where the issue slots of this configuration went');
		const reasons = reasonsOf(program.insns.map((x) => x.slots || {}));
		return {
			says: `${program.insns.length} instructions, ${number(program.slots)} slots`,
			at: (x) => placeOfInsn(program, x),
			option: {
				grid: { left: 66, right: 16, top: 34, bottom: program.insns.length > 60 ? 62 : 44 }, legend: legend(reasons), dataZoom: zoom(program), xAxis: codeAxis(program),
				yAxis: { type: 'value', name: 'slots', nameLocation: 'middle', nameGap: 46, ...axisStyle(), axisLabel: { color: css('soft'), formatter: short } },
				tooltip: tooltip((p) => {
					const x = program.insns[[].concat(p)[0].dataIndex], s = x.slots || {};
					return tip(head(x), [...reasons.filter((r) => s[r]).map((r) => [reasonColour(r), word(r), `${number(s[r])} (${percent(s[r], program.slots)})`]),
						[null, 'waited for its result', x.ex ? number(x.ex.slots_for) : '-']], where(x));
				}, { trigger: 'axis' }),
				series: reasons.map((r, i) => ({ name: r, type: 'bar', stack: 'slots', barCategoryGap: '10%', data: program.insns.map((x) => (x.slots && x.slots[r]) || 0), itemStyle: { color: reasonColour(r), decal: program.insns.length <= 200 ? decal(i) : undefined } })),
			},
			table: { columns: ['instruction', 'text', 'slots', ...reasons.map(word), 'waited for its result'], rows: program.insns.map((x) => ({ place: placeOfInsn(program, x.index),
				cells: [x.index, x.text, sum(x.slots), ...reasons.map((r) => (x.slots && x.slots[r]) || 0), x.ex ? x.ex.slots_for : 0] })) },
		};
	},
};

// How long each value stays in an entry above the main register file: [entry, first, last, register, how].
export function stays(program, org) {
	const open = new Map(), list = [];
	let strand = null;
	for (const x of program.insns) {
		const p = x.ann && x.ann.places;
		if (!x.ann || x.ann.strand !== strand) {
			open.clear();
			strand = x.ann ? x.ann.strand : null;
		}
		if (!p)
			continue;
		const n = p.reads.length;
		const enter = (entry, register) => { const s = { entry, first: x.index, last: x.index, register, reads: 0 }; open.set(entry, s); list.push(s); };
		const entriesIn = (where) => where.split(/=>|\+/).filter((w) => w !== 'MRF');
		p[org].forEach((where, i) => {
			const register = i < n ? p.reads[i] : p.writes[i - n];
			for (const entry of entriesIn(where)) {
				const s = open.get(entry);
				if (i < n && !where.includes('=>') && s && s.register === register) {
					s.last = x.index;
					s.reads++;
				} else {
					enter(entry, register);
				}
			}
		});
	}
	return list;
}

const entryOrder = (a, b) => { const l = (e) => (e.startsWith('L') ? 0 : 1); return l(a) - l(b) || a.localeCompare(b, 'en', { numeric: true }); };

export const entries = (app) => ({
	id: 'entries', title: 'Values in strands, ORF and LRF', wide: true, code: true, height: 240,
	about: 'Which register is in which entry above the main register file, from the instruction that puts it there to its last read. Bands are strands, at the end of which entries are empty.',
	draw(program) {
		const org = app.organisation, list = program.ann && program.ann.orf ? stays(program, org) : null;
		if (!program.ann)
			return noDetail('The place of each operand');
		if (!list)
			return 'The object has no places of operands for this kernel.';
		const names = [...new Set(list.map((s) => s.entry))].sort(entryOrder);
		if (!list.length)
			return 'The compiler put no value of this kernel above the main register file.';
		const order = ['LRF0', 'LRF1', 'LRF2', 'LRF'];
		const paint = (entry) => (order.includes(entry) ? '#00785a' : entry.charCodeAt(entry.length - 1) % 2 ? '#7a5bb5' : '#0072b2');
		return {
			height: 110 + 26 * names.length,
			says: `${list.length} values in ${names.length} entries, ${strandsOf(program).length} strands`,
			at: (x) => placeOfInsn(program, x),
			option: {
				grid: { left: 56, right: 16, top: 12, bottom: program.insns.length > 60 ? 62 : 44 }, dataZoom: zoom(program), xAxis: codeAxis(program),
				yAxis: { type: 'category', data: names, inverse: true, ...axisStyle(), splitLine: { show: true, lineStyle: { color: css('grid') } } },
				tooltip: tooltip((p) => {
					const q = [].concat(p)[0], s = list[q.dataIndex];
					return tip(`${s.register} in ${s.entry}`, [[null, 'put there by', head(program.insns[s.first])], [null, 'last read by', s.reads ? head(program.insns[s.last]) : 'none: it is overwritten or the strand ends'], [null, 'reads', s.reads]]);
				}, { trigger: 'item' }),
				series: [{
					type: 'custom', name: 'values', clip: true, markArea: strandAreas(program), encode: { x: [0, 1], y: 2 },
					data: list.map((s) => ({ value: [s.first, s.last, names.indexOf(s.entry), s.register] })),
					renderItem(params, api) {
						const a = api.coord([api.value(0), api.value(2)]), b = api.coord([api.value(1), api.value(2)]), one = api.size([1, 1]);
						const h = Math.min(20, one[1] * 0.75), w = Math.max(3, b[0] - a[0] + one[0] * 0.7), x = a[0] - one[0] * 0.35, text = api.value(3);
						const c = paint(names[api.value(2)]);
						return { type: 'rect', shape: { x, y: a[1] - h / 2, width: w, height: h, r: 3 }, style: { fill: c, stroke: css('panel'), lineWidth: 1 },
							textContent: w > 8 * String(text).length ? { style: { text: String(text), fill: '#fff', fontSize: 11, fontWeight: 'bold' } } : undefined, textConfig: { position: 'inside' } };
					},
				}],
			},
			table: { columns: ['from instruction', 'to', 'register', 'entry', 'reads'], rows: list.map((s) => ({ place: placeOfInsn(program, s.first), cells: [s.first, s.last, s.register, s.entry, s.reads] })) },
		};
	},
});
