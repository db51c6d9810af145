// Where the energy goes, configurations beside each other.
import { axisStyle, css, decal, legend, nth, room, tip, tooltip } from './charts.js';
import { number, percent, short } from './format.js';
import { entriesWith } from './model.js';

export const scopes = [['gpu', 'GPU'], ['sm', 'SMs'], ['rf', 'register file']];

// { name: [value or null, ...] } by entry, of one scope; a GPU's parts are those of its SMs and its own.
export function partsOf(entries, scope) {
	const names = [], by = new Map();
	for (const [i, e] of entries.entries())
		for (const p of (e.energy && e.energy.parts) || []) {
			if (p.sum || !(p.of === scope || (scope === 'gpu' && p.of === 'sm')))
				continue;
			if (!by.has(p.name)) {
				names.push(p.name);
				by.set(p.name, entries.map(() => undefined));
			}
			by.get(p.name)[i] = p.uJ;
		}
	return names.map((name) => ({ name, values: by.get(name) }));
}

const most = (part) => Math.max(...part.values.map((v) => v || 0));     // the largest come first in the legend, of which a part may not be seen

export const energy = (app) => ({
	id: 'energy', title: 'Energy by component', about: 'Of each configuration, in the whole run; the number is the ratio to the first. Of configurations with * a part is not known, as the energy table has no cost for it; their bars lack it.',
	draw() {
		const list = entriesWith(app.report, app.store.kernel).filter((e) => !e.failed);
		if (!list.some((e) => e.energy))
			return 'Energy by component is not in this file. sm-model run ... --json FILE --detail, or compare with it, adds it.';
		const all = partsOf(list, app.scope), parts = all.filter((p) => p.values.some((v) => v)), unknown = all.filter((p) => p.values.some((v) => v === null));
		if (!parts.length)
			return `The energy of the ${scopes.find((s) => s[0] === app.scope)[1]} is not known: the energy table of this machine has no costs for it. --set energy=g-scalar, energy=wir and energy=all have.`;
		const label = room(list.map((e) => e.label + ' *')), whole = list.map((e, i) => parts.reduce((n, p) => n + (p.values[i] || 0), 0)), missing = list.map((e, i) => unknown.filter((p) => p.values[i] === null).map((p) => p.name));
		const ratio = (i) => (missing[i].length || missing[0].length ? '-' : (whole[i] / whole[0]).toFixed(3));
		const end = list.map((_, i) => parts.reduce((at, p, n) => (typeof p.values[i] === 'number' ? n : at), -1));     // a bar ends with the last part that it has
		return {
			height: 92 + 28 * list.length + 18 * Math.ceil(parts.length / 4), says: `${parts.length} components, ${list.length} configurations`,
			option: {
				grid: { left: label, right: 72, top: 34, bottom: 40 }, legend: legend([...parts].sort((p, q) => most(q) - most(p)).map((p) => p.name)),
				xAxis: { type: 'value', name: 'uJ', nameLocation: 'middle', nameGap: 22, ...axisStyle(), axisLabel: { color: css('soft'), formatter: (v) => short(v), hideOverlap: true } },
				yAxis: { type: 'category', inverse: true, data: list.map((e, i) => e.label + (missing[i].length ? ' *' : '')), ...axisStyle(), axisLabel: { color: css('ink'), width: label - 12, overflow: 'truncate', interval: 0 } },
				tooltip: tooltip((q) => {
					const i = [].concat(q)[0].dataIndex;
					return tip(list[i].label, [...parts.map((p, n) => [nth(n), p.name, p.values[i] === undefined ? '-' : p.values[i] === null ? 'not known' : `${number(p.values[i])} uJ (${percent(p.values[i], whole[i])})`]), [null, missing[i].length ? 'all that is known' : 'all', number(whole[i]) + ' uJ'],
						[null, 'ratio to the first', ratio(i)]], missing[i].length ? 'not known, and left out: ' + missing[i].join(', ') : null);
				}, { trigger: 'axis', axisPointer: { type: 'shadow' } }),
				series: parts.map((p, n) => ({ name: p.name, type: 'bar', stack: 'energy', barMaxWidth: 22, data: p.values.map((v) => (v === undefined ? null : v)), itemStyle: { color: nth(n), decal: decal(n) },
					label: { show: true, position: 'right', color: css('ink'), fontSize: 11, formatter: (q) => (end[q.dataIndex] === n ? ratio(q.dataIndex) : '') } })),
			},
			table: { columns: ['component', ...list.map((e) => e.label)], rows: parts.map((p) => ({ cells: [p.name, ...p.values.map((v) => (v === undefined ? '-' : number(v)))] })) },
		};
	},
});
