// The affinity graph: registers that are read together. Left and right stand in columns; what CORF++ cannot keep is between two of one side.
import { colour, css, tip, tooltip } from './charts.js';
import { number, percent } from './format.js';

const number0 = (r) => +r.slice(1);

export function graphOf(program) {
	const c = program.ann.corf, side = new Map(), pair = new Map(), names = new Set();
	for (const r of c.alignment.left)
		side.set(r, 'left');
	for (const r of c.alignment.right)
		side.set(r, 'right');
	for (const [a, b] of c.pairs.registers) {
		pair.set(a, b);
		pair.set(b, a);
	}
	for (let r = 0; r < program.ann.resources.registers; r++)
		names.add('R' + r);
	for (const e of c.affinity)
		names.add(e.a).add(e.b);
	for (const r of [...side.keys(), ...pair.keys()])
		names.add(r);
	const nodes = [...names].sort((a, b) => number0(a) - number0(b)).map((name) => ({ name, side: side.get(name) || 'free', pair: pair.get(name) || null, reads: [] }));
	const of = new Map(nodes.map((n) => [n.name, n]));
	const edges = c.affinity.map((e) => ({ ...e, kept: of.get(e.a).side !== of.get(e.b).side && of.get(e.a).side !== 'free' && of.get(e.b).side !== 'free', paired: pair.get(e.a) === e.b }));
	for (const e of edges) {
		of.get(e.a).reads.push([e.b, e.weight]);
		of.get(e.b).reads.push([e.a, e.weight]);
	}
	return { nodes, edges, of, total: c.total };
}

// Order within the columns by what they are read with on the other side, so that edges cross less.
function columns(g) {
	const left = g.nodes.filter((n) => n.side === 'left'), right = g.nodes.filter((n) => n.side === 'right'), free = g.nodes.filter((n) => n.side === 'free');
	const place = new Map();
	const number = (list) => list.forEach((n, i) => place.set(n.name, list.length > 1 ? i / (list.length - 1) : 0.5));
	number(left);
	number(right);
	for (let round = 0; round < 24; round++)
		for (const list of [right, left]) {
			const mean = new Map(list.map((n) => {
				let w = 0, s = 0;
				for (const [m, weight] of n.reads)
					if (g.of.get(m).side !== n.side) {
						w += weight;
						s += weight * place.get(m);
					}
				return [n, w ? s / w : place.get(n.name)];
			}));
			list.sort((a, b) => mean.get(a) - mean.get(b) || number0(a.name) - number0(b.name));
			number(list);
		}
	return { left, right, free };
}

// Instructions that read both registers.
const readers = (program, a, b) => program.insns.filter((x) => x.ann && x.ann.places && x.ann.places.reads.includes(a) && (!b || x.ann.places.reads.includes(b))).map((x) => x.index);
const users = (program, r) => program.insns.filter((x) => x.ann && x.ann.places && [...x.ann.places.reads, ...x.ann.places.writes].includes(r)).map((x) => x.index);

function placeOf(program, insns) {
	const x = program.insns[insns[0]];
	return x ? { insns, file: x.file, line: x.line } : null;
}

const shapes = { left: 'rect', right: 'circle', free: 'diamond' };

export const graph = {
	id: 'graph', title: 'Affinity graph', height: 520,
	about: 'Registers that one instruction reads, joined by lines as wide as that is frequent. CORF++ reads two in one access if one is aligned left (square) and the other right (circle); red dashed lines are lost. A thick grey line and a dark rim mark the exclusive pairs of CORF; diamonds are free.',
	draw(program) {
		if (!program.ann)
			return 'The affinity graph is not in this file. sm-model run ... --json FILE --detail, or compare with it, adds it.';
		if (!program.ann.corf)
			return 'The object has no packing hints for this kernel.';
		const g = graphOf(program), { left, right, free } = columns(g), rows = Math.max(left.length, right.length, 6), most = Math.max(1, ...g.edges.map((e) => e.weight));
		const height = Math.max(380, Math.min(1400, rows * 21 + 40 + 26 * Math.ceil(free.length / 12))), size = rows > 40 ? 14 : 20, font = rows > 40 ? 9 : 10;
		const at = new Map(), spread = (list, x) => list.forEach((n, i) => at.set(n.name, [x + (rows > 30 ? (i % 2 ? 0.06 : -0.06) : 0), (i + 0.5) * rows / list.length]));
		spread(left, 1);
		spread(right, 2);
		free.forEach((n, i) => at.set(n.name, [0.62 + (i % 12) * (1.76 / 11), rows + 1 + Math.floor(i / 12)]));
		const bottom = rows + 1 + Math.ceil(free.length / 12), lost = g.edges.filter((e) => !e.kept), c = program.ann.corf;
		const links = g.edges.map((e) => {
			const same = g.of.get(e.a).side === g.of.get(e.b).side, right0 = g.of.get(e.a).side === 'right', down = at.get(e.a)[1] < at.get(e.b)[1];
			return { source: e.a, target: e.b, value: e.weight, lineStyle: { width: 0.8 + 5 * e.weight / most, type: e.kept ? 'solid' : 'dashed', color: e.kept ? colour('blue') : colour('red'), opacity: e.kept ? 0.45 : 0.85,
				curveness: same ? ((right0 ? 1 : -1) * (down ? 1 : -1) * -0.35) : 0 }, kind: e };
		});
		const pairs = c.pairs.registers.map(([a, b]) => ({ source: a, target: b, value: 0, pair: [a, b], lineStyle: { width: 9, color: colour('grey'), opacity: 0.4, curveness: 0 } }));
		return {
			height, says: `${g.nodes.length} registers, ${g.edges.length} edges of which ${lost.length} are lost, ${c.pairs.registers.length} pairs`,
			item(p) {
				if (p.dataType === 'edge')
					return p.data.pair ? null : placeOf(program, readers(program, p.data.source, p.data.target));
				return p.dataType === 'node' ? placeOf(program, users(program, p.name)) : null;
			},
			option: {
				grid: { left: 12, right: 12, top: 8, bottom: 8 },
				xAxis: { type: 'value', show: false, min: 0.55, max: 2.45 }, yAxis: { type: 'value', show: false, inverse: true, min: -0.5, max: bottom + 0.3 },
				dataZoom: [{ type: 'inside', xAxisIndex: 0, zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false, filterMode: 'none' }, { type: 'inside', yAxisIndex: 0, zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false, filterMode: 'none' }],
				tooltip: tooltip((p) => {
					if (p.dataType === 'edge') {
						const d = p.data;
						if (d.pair)
							return tip(`${d.pair[0]} and ${d.pair[1]}`, [[null, 'CORF', 'exclusive pair']]);
						return tip(`${d.source} and ${d.target}`, [[null, 'read together', `${number(d.value)} (${percent(d.value, g.total)} of all)`], [null, 'CORF++', d.kind.kept ? 'one access' : 'lost: both are on one side'], [null, 'CORF', d.kind.paired ? 'one access: an exclusive pair' : 'two accesses']]);
					}
					const n = g.of.get(p.name);
					return tip(n.name, [[null, 'aligned', n.side], [null, 'exclusive pair with', n.pair || '-'], ...n.reads.slice().sort((a, b) => b[1] - a[1]).slice(0, 12).map(([m, w]) => [null, 'read with ' + m, number(w)])], n.reads.length > 12 ? `and ${n.reads.length - 12} more` : null);
				}, { trigger: 'item' }),
				series: [{
					type: 'graph', coordinateSystem: 'cartesian2d', edgeSymbol: ['none', 'none'], emphasis: { focus: 'adjacency', lineStyle: { opacity: 1 } }, autoCurveness: false, cursor: 'pointer',
					data: g.nodes.map((n) => ({ name: n.name, value: at.get(n.name), symbol: shapes[n.side], symbolSize: n.side === 'free' ? size * 0.9 : size,
						itemStyle: { color: n.side === 'left' ? colour('blue') : n.side === 'right' ? colour('orange') : colour('pale'), borderColor: n.pair ? css('ink') : css('panel'), borderWidth: n.pair ? 2 : 1 },
						label: { show: true, position: n.side === 'left' ? 'left' : n.side === 'right' ? 'right' : 'bottom', color: css('ink'), fontSize: font, formatter: (q) => q.name } })),
					links: [...pairs, ...links],
				}],
			},
			table: { columns: ['registers', 'read together', 'of all', 'CORF++', 'CORF'], rows: g.edges.slice().sort((a, b) => b.weight - a.weight).map((e) => ({ place: placeOf(program, readers(program, e.a, e.b)),
				cells: [`${e.a} ${e.b}`, number(e.weight), percent(e.weight, g.total), e.kept ? 'kept' : 'lost', e.paired ? 'pair' : ''] })) },
		};
	},
};
