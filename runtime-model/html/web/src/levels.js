// What the compiler's placement comes to: operands by the level that they are read from and written to.
import { axisStyle, colour, css, decal, legend, tip, tooltip } from './charts.js';
import { number, percent, short } from './format.js';

const organisations = ['orf', 'lrf+orf', 'split-lrf+orf'], levels = [['mrf', 'main register file', 'grey'], ['orf', 'ORF', 'blue'], ['lrf', 'LRF', 'green']];

export const levelsPanel = {
	id: 'levels', title: 'Operands by level, as compiled', about: 'Operands of 32 bits that a thread reads from and writes to each level, by the estimated executions of blocks, in three organisations.',
	draw(program) {
		const o = program.ann && program.ann.orf;
		if (!o)
			return program.ann ? 'The object has no places of operands for this kernel.' : 'The place of each operand is not in this file. sm-model run ... --json FILE --detail, or compare with it, adds it.';
		const rows = organisations.flatMap((g) => [[g, 'reads'], [g, 'writes']]), value = ([g, w], l) => o[g][w][l], all = (r) => levels.reduce((n, [l]) => n + value(r, l), 0), s = program.ann.strands;
		return {
			height: 230, says: organisations.map((g) => `${g}: ${percent(o[g].reads.mrf, all([g, 'reads']))} of reads in the main register file`).join('; '),
			option: {
				grid: { left: 130, right: 18, top: 34, bottom: 40 }, legend: legend(levels.map((l) => l[1])),
				xAxis: { type: 'value', name: 'operands of a thread', nameLocation: 'middle', nameGap: 22, ...axisStyle(), axisLabel: { color: css('soft'), formatter: (v) => short(v), hideOverlap: true } },
				yAxis: { type: 'category', inverse: true, data: rows.map(([g, w]) => `${g}, ${w}`), ...axisStyle(), axisLabel: { color: css('ink'), interval: 0 } },
				tooltip: tooltip((q) => { const r = rows[[].concat(q)[0].dataIndex]; return tip(r.join(', '), levels.map(([l, name, c]) => [colour(c), name, `${number(value(r, l))} (${percent(value(r, l), all(r))})`]), `${s ? s.count + ' strands; ' : ''}ORF of ${o.entries} entries`); }, { trigger: 'axis', axisPointer: { type: 'shadow' } }),
				series: levels.map(([l, name, c], i) => ({ name, type: 'bar', stack: 'operands', barMaxWidth: 18, data: rows.map((r) => value(r, l)), itemStyle: { color: colour(c), decal: decal(i) } })),
			},
			table: { columns: ['organisation', ...levels.map((l) => l[1])], rows: rows.map((r) => ({ cells: [r.join(', '), ...levels.map(([l]) => number(value(r, l)))] })) },
		};
	},
};
