// The banks of the register file: how often each is accessed, and how long accesses waited.
import { axisStyle, css, dark, tip, tooltip } from './charts.js';
import { number, percent, short, sum, word } from './format.js';

const order = ['reads', 'reads_delayed', 'read_cycles', 'writes', 'writes_delayed', 'write_cycles'];
const names = { reads: 'reads', reads_delayed: 'reads that waited', read_cycles: 'cycles reads waited', writes: 'writes', writes_delayed: 'writes that waited', write_cycles: 'cycles writes waited' };

// From the ground to a strong colour, by how much it is of the most in the row.
const ramp = () => (dark() ? [[29, 37, 48], [122, 59, 18], [255, 179, 71]] : [[244, 246, 249], [242, 181, 107], [156, 58, 0]]);
function shade(share) {
	const [a, b, c] = ramp(), [from, to, t] = share < 0.5 ? [a, b, 2 * share] : [b, c, 2 * share - 1];
	return `rgb(${from.map((v, i) => Math.round(v + t * (to[i] - v))).join()})`;
}

export const banks = {
	id: 'banks', title: 'Bank heat', about: 'Accesses of each register-file bank, summed over SMs, and those that found it busy. The stronger the colour, the more, within a row.',
	draw(program) {
		if (!program.ex || !program.ex.banks.length)
			return 'Accesses by bank are not in this file. sm-model run ... --json FILE --detail (or --explain=all) adds them.';
		const list = program.ex.banks, rows = order.filter((m) => list.some((b) => b[m] !== undefined)), most = Object.fromEntries(rows.map((m) => [m, Math.max(1, ...list.map((b) => b[m] || 0))]));
		const cells = rows.flatMap((m, y) => list.map((b, x) => ({ value: [x, y, 100 * (b[m] || 0) / most[m]], count: b[m] || 0 })));
		return {
			height: 60 + 34 * rows.length, says: `${list.length} banks`,
			option: {
				grid: { left: 132, right: 12, top: 8, bottom: 42 },
				xAxis: { type: 'category', name: 'bank', nameLocation: 'middle', nameGap: 24, data: list.map((b) => b.bank), ...axisStyle(), splitLine: { show: false } },
				yAxis: { type: 'category', inverse: true, data: rows.map((m) => names[m] || word(m)), ...axisStyle(), axisLabel: { color: css('ink') }, splitLine: { show: false } },
				tooltip: tooltip((p) => {
					const m = rows[p.value[1]], b = list[p.value[0]];
					return tip(`bank ${b.bank}`, [...rows.map((r) => [null, names[r], number(b[r] || 0)]), [null, 'share of ' + names[m], percent(b[m], sum(Object.fromEntries(list.map((o, i) => [i, o[m] || 0]))))]]);
				}, { trigger: 'item' }),
				series: [{ type: 'custom', name: 'banks', data: cells, encode: { x: 0, y: 1 },
					renderItem(params, api) {
						const [w, h] = api.size([1, 1]), [x, y] = api.coord([api.value(0), api.value(1)]), share = api.value(2) / 100;
						return { type: 'rect', shape: { x: x - w / 2 + 0.5, y: y - h / 2 + 0.5, width: w - 1, height: h - 1 }, style: { fill: shade(share) }, emphasis: { style: { stroke: css('ink'), lineWidth: 2 } },
							textContent: w >= 24 ? { style: { text: short(cells[params.dataIndex].count), fontSize: w > 34 ? 10 : 8, fill: share > 0.55 !== dark() ? '#fff' : '#111' } } : undefined, textConfig: { position: 'inside' } };
					} }],
			},
			table: { columns: ['bank', ...rows.map((r) => names[r])], rows: list.map((b) => ({ cells: [b.bank, ...rows.map((r) => number(b[r] || 0))] })) },
		};
	},
};
