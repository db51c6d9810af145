// Where issue slots went: whole, of each configuration; by source line, SM and warp, of the one that is chosen.
import { axisStyle, css, decal, legend, reasonColour, room, tip, tooltip } from './charts.js';
import { baseName, number, percent, reasonsOf, short, sum, word } from './format.js';
import { entriesWith, metricsOf } from './model.js';
import { placeOfLine } from './store.js';

// rows: { name, counts, place, text }. Horizontal bars, each a stack of reasons.
function bars(rows, { share, whole, unit, zoomFrom = 25, about }) {
	const reasons = reasonsOf(rows.map((r) => r.counts)), of = (r, k) => (share ? 100 * (r.counts[k] || 0) / (sum(r.counts) || 1) : r.counts[k] || 0), many = rows.length > zoomFrom, label = room(rows.map((r) => r.name));
	return {
		height: 76 + 22 * Math.min(rows.length, zoomFrom), says: about,
		at: rows.some((r) => r.place) ? (x, y) => (rows[y] ? rows[y].place || null : null) : null,
		option: {
			grid: { left: label, right: many ? 34 : 18, top: 30, bottom: 36 }, legend: legend(reasons),
			xAxis: { type: 'value', max: share ? 100 : null, name: share ? '% of its slots' : unit, nameLocation: 'middle', nameGap: 22, ...axisStyle(), axisLabel: { color: css('soft'), formatter: (v) => short(v), hideOverlap: true } },
			yAxis: { type: 'category', inverse: true, data: rows.map((r) => r.name), ...axisStyle(), axisLabel: { color: css('ink'), width: label - 12, overflow: 'truncate', interval: 0 } },
			dataZoom: many ? [{ type: 'slider', yAxisIndex: 0, right: 4, width: 14, startValue: 0, endValue: zoomFrom - 1, brushSelect: false, showDetail: false, borderColor: css('line'), fillerColor: css('grid'), filterMode: 'none', showDataShadow: false }] : [],
			tooltip: tooltip((p) => {
				const r = rows[[].concat(p)[0].dataIndex];
				return tip(r.name, [...reasons.filter((k) => r.counts[k]).map((k) => [reasonColour(k), word(k), `${number(r.counts[k])} (${percent(r.counts[k], whole || sum(r.counts))})`]), [null, 'all', number(sum(r.counts))]], r.text);
			}, { trigger: 'axis', axisPointer: { type: 'shadow' } }),
			series: reasons.map((k, i) => ({ name: k, type: 'bar', stack: 'slots', barMaxWidth: 18, data: rows.map((r) => of(r, k)), itemStyle: { color: reasonColour(k), decal: decal(i) } })),
		},
		table: { columns: ['', 'all', ...reasons.map(word)], rows: rows.map((r) => ({ place: r.place, cells: [r.name, number(sum(r.counts)), ...reasons.map((k) => number(r.counts[k] || 0))] })) },
	};
}

export function slotsOf(metrics) {
	const counts = {};
	for (const name in metrics)
		if (name.startsWith('slots_') && typeof metrics[name].value === 'number')
			counts[name.slice(6)] = metrics[name].value;
	return counts;
}

export const slots = (app) => ({
	id: 'slots', title: 'Issue slots, by configuration', about: 'Each cycle of each scheduler is a slot, which issued an instruction or was lost for one reason. As long as a bar is, so long the kernel took.',
	draw() {
		const k = app.store.kernel, rows = entriesWith(app.report, k).filter((e) => metricsOf(e, k)).map((e) => ({ name: e.label, counts: slotsOf(metricsOf(e, k)) })).filter((r) => sum(r.counts));
		return rows.length ? bars(rows, { share: app.share, unit: 'slots', about: `${rows.length} configurations` }) : 'No configuration of this kernel was timed.';
	},
});

const none = 'Where the issue slots of this configuration went is not in this file. sm-model run ... --json FILE --detail (or --explain=all) adds it.';

export const slotsLines = {
	id: 'slots-lines', title: 'Issue slots, by source line', about: 'Lines with most slots first. Click for the line.',
	draw(program) {
		if (!program.ex)
			return none;
		const lines = program.ex.lines.filter((l) => sum(l.slots)).sort((a, b) => sum(b.slots) - sum(a.slots));
		const rows = lines.map((l) => ({ name: l.file === null ? 'metadata' : `${baseName(l.file)}:${l.line}`, counts: l.slots, text: l.text,
			place: l.file === null ? null : placeOfLine({ file: l.file, line: l.line, insns: program.insns.filter((x) => x.file === l.file && x.line === l.line).map((x) => x.index) }) }));
		return rows.length ? bars(rows, { unit: 'slots', whole: program.slots, zoomFrom: 14, about: `${rows.length} lines` }) : 'No line has slots.';
	},
};

export const slotsSms = {
	id: 'slots-sms', title: 'Issue slots, by SM', about: 'Empty slots of single SMs mean that the grid does not fill the GPU evenly.',
	draw: (program) => (program.ex ? bars(program.ex.sms.map((s) => ({ name: 'SM ' + s.sm, counts: s.slots })), { unit: 'slots', zoomFrom: 16, about: `${program.ex.sms.length} SMs` }) : none),
};

export const warps = {
	id: 'warps', title: 'Cycles of warps, by number in the CTA', about: 'What each resident warp did in each cycle; not chosen: it could issue, another did.',
	draw: (program) => (program.ex ? bars(program.ex.warps.map((w) => ({ name: 'warp ' + w.warp, counts: w.warp_cycles })), { unit: 'warp cycles', zoomFrom: 16, about: `${program.ex.warps.length} warps` }) : none),
};
