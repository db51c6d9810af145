// All configurations that ran the kernel: one metric as bars, and the usual ones as a table with ratios to the first.
import { axisStyle, colour, css, room, tip, tooltip } from './charts.js';
import { el, replace } from './dom.js';
import { number, scaled, short } from './format.js';
import { entriesWith, metricsOf, noiseOf } from './model.js';

const usual = ['cycles', 'ipc', 'occupancy', 'rf_reads', 'rf_writes', 'rf_bank_conflicts', 'rf_dynamic_energy', 'rf_energy', 'sm_energy', 'gpu_energy'];

const known = (e, k, name) => { const m = metricsOf(e, k); return m && m[name] ? m[name].value : undefined; };
const ratio = (v, first) => (typeof v === 'number' && first ? (v / first).toFixed(3) : '-');

// "0.953 ± 0.015" of runs under random delays, "no change" if 1 lies within; else the one run's ratio.
function gain(e, k, name, v, first) {
	const n = noiseOf(e, k, name);
	return n ? `${n.mean.toFixed(3)} ± ${n.half_width.toFixed(3)}${n.changed ? '' : ', no change'}` : ratio(v, first);
}

export function metricNames(report, kernel) {
	const names = [];
	for (const e of entriesWith(report, kernel))
		for (const n in metricsOf(e, kernel) || {})
			if (!names.includes(n))
				names.push(n);
	return names;
}

export const compare = (app) => ({
	id: 'compare', title: 'Comparison of configurations', about: 'Bars are the metric; the number at each is its ratio to the first configuration; with --perturb, the table has means of runs under random delays, and half their 95 % interval.',
	draw() {
		const k = app.store.kernel, list = entriesWith(app.report, k), name = app.metric, values = list.map((e) => known(e, k, name)), first = values.find((v) => v !== undefined);
		if (first === undefined)
			return 'No configuration has this metric for this kernel alone.';
		const unit = metricsOf(list[values.indexOf(first)], k)[name].unit, unitText = unit && unit !== '1' && unit !== name ? ', ' + unit : '';
		return {
			height: 66 + 28 * list.length, says: `${name} of ${list.length} configurations`,
			option: {
				grid: { left: room(list.map((e) => e.label)), right: 72, top: 8, bottom: 40 },
				xAxis: { type: 'value', name: name + unitText, nameLocation: 'middle', nameGap: 22, ...axisStyle(), axisLabel: { color: css('soft'), formatter: (v) => short(v), hideOverlap: true } },
				yAxis: { type: 'category', inverse: true, data: list.map((e) => e.label), ...axisStyle(), axisLabel: { color: css('ink'), width: room(list.map((e) => e.label)) - 12, overflow: 'truncate', interval: 0 } },
				tooltip: tooltip((q) => { const i = [].concat(q)[0].dataIndex, v = values[i]; return tip(list[i].label, [[null, name, list[i].failed ? 'failed' : number(v) + (unit && unit !== '1' ? ' ' + unit : '')], [null, 'ratio', gain(list[i], k, name, v, first)]], `${list[i].machine}, ${list[i].file}`); }, { trigger: 'axis', axisPointer: { type: 'shadow' } }),
				series: [{ name, type: 'bar', barMaxWidth: 22, data: values.map((v, i) => ({ value: v === undefined ? null : v, itemStyle: { color: list[i] === app.store.entry ? colour('blue') : colour('sky') } })),
					label: { show: true, position: 'right', color: css('ink'), fontSize: 11, formatter: (q) => ratio(values[q.dataIndex], first) } }],
			},
			table: { columns: ['configuration', name, 'ratio', 'machine', 'file'], rows: list.map((e, i) => ({ cells: [e.label, e.failed ? 'failed' : values[i] === undefined ? '-' : number(values[i]), gain(e, k, name, values[i], first), e.machine, e.file] })) },
		};
	},
});

export function drawTable(app, box) {
	const k = app.store.kernel, list = entriesWith(app.report, k), names = [...new Set([app.metric, ...usual])].filter((n) => list.some((e) => known(e, k, n) !== undefined));
	const units = Object.fromEntries(names.map((n) => [n, scaled(metricsOf(list.find((e) => known(e, k, n) !== undefined), k)[n])[1]]));
	const first = Object.fromEntries(names.map((n) => [n, known(list[0], k, n)]));
	replace(box, el('table', { class: 'compare' }, el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'configuration'), names.map((n) => el('th', { scope: 'col', colspan: 2 }, n, el('br'), el('span', { class: 'soft' }, units[n]))))),
		el('tbody', {}, list.map((e) => el('tr', { class: e === app.store.entry ? 'chosen' : null }, el('th', { scope: 'row' }, el('button', { type: 'button', class: 'to', onclick: () => app.choose(k, e.id) }, e.label)),
			names.map((n) => { const m = metricsOf(e, k), v = known(e, k, n); return [el('td', {}, e.failed ? 'failed' : m && m[n] ? number(scaled(m[n])[0]) : '-'), el('td', { class: 'ratio' }, gain(e, k, n, v, first[n]))]; }))))));
}
