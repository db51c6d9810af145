// The page of sm-model report: reads the JSON in the page, lays out code and charts, and keeps them together.
import { link, makePanel } from './charts.js';
import { makeCode } from './code.js';
import { compare, drawTable, metricNames } from './compare.js';
import { el, picker, replace } from './dom.js';
import { banks } from './banks.js';
import { energy, partsOf, scopes } from './energy.js';
import { entries, pressure, slotsAlong } from './along.js';
import { graph } from './graph.js';
import { drawHead } from './head.js';
import { levelsPanel } from './levels.js';
import { entriesWith, programOf, readReport } from './model.js';
import { slots, slotsLines, slotsSms, warps } from './slots.js';
import { makeStore, placeOfInsn, placeOfLine } from './store.js';

const organisations = [['orf', 'ORF'], ['lrf+orf', 'LRF + ORF'], ['split-lrf+orf', 'split LRF + ORF']];

function start() {
	const app = { store: makeStore(), report: null, program: null, points: {}, organisation: 'split-lrf+orf', share: false, metric: 'cycles', scope: 'gpu', scopeAsked: null };
	window.regloom = { ready: false, charts: app.points, error: null };
	app.report = readReport(JSON.parse(document.getElementById('data').textContent));
	const { report, store } = app, heading = el('div', { class: 'pickers' }), head = el('div', { class: 'head' }), table = el('div', { class: 'scroll wide-table', tabindex: 0, role: 'region', 'aria-label': 'comparison' });
	const code = makeCode(app);
	const panels = [pressure, slotsAlong, entries(app), slotsLines, slots(app), compare(app), energy(app), banks, levelsPanel, graph, slotsSms, warps].map((spec) => makePanel(app, spec));
	const panel = (id) => panels.find((p) => p.id === id);

	app.choose = (kernel, id) => {
		const list = entriesWith(report, kernel);
		store.kernel = kernel;
		store.entry = list.find((e) => e.id === id) || list[0];
		store.hover = store.selected = null;
		app.program = programOf(store.entry, kernel);
		const known = scopes.map(([s]) => s).filter((s) => partsOf(list, s).some((p) => p.values.some((v) => v)));
		app.scope = known.includes(app.scopeAsked) ? app.scopeAsked : known[0] || 'gpu';
		pickers();
		replace(head, drawHead(app));
		code.fill();
		for (const p of panels)
			p.draw();
		drawTable(app, table);
	};
	function pickers() {
		const list = entriesWith(report, store.kernel);
		replace(heading, report.kernels.length > 1 && picker('Kernel', report.kernels.map((k) => [k, k]), store.kernel, (k) => app.choose(k, store.entry.id)),
			list.length > 1 && picker('Configuration', list.map((e) => [String(e.id), e.label]), String(store.entry.id), (id) => app.choose(store.kernel, +id)),
			picker('Colours', [['auto', 'as the system'], ['light', 'light'], ['dark', 'dark']], document.documentElement.dataset.theme || 'auto', theme));
		const names = metricNames(report, store.kernel);
		if (!names.includes(app.metric))
			app.metric = names[0] || 'cycles';
		replace(panel('compare').controls, picker('Metric', names.map((n) => [n, n]), app.metric, (m) => { app.metric = m; panel('compare').draw(); drawTable(app, table); }));
		replace(panel('slots').controls, picker('Show', [['count', 'slots'], ['share', 'share of each']], app.share ? 'share' : 'count', (v) => { app.share = v === 'share'; panel('slots').draw(); }));
		replace(panel('entries').controls, picker('Organisation', organisations, app.organisation, (o) => { app.organisation = o; panel('entries').draw(); code.fill(); }));
		replace(panel('energy').controls, picker('Of', scopes, app.scope, (s) => { app.scope = app.scopeAsked = s; panel('energy').draw(); }));
	}
	function theme(name) {
		if (name === 'auto')
			delete document.documentElement.dataset.theme;
		else
			document.documentElement.dataset.theme = name;
		store.tell('theme');
	}
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => store.tell('theme'));
	let before;
	addEventListener('beforeprint', () => { before = document.documentElement.dataset.theme || 'auto'; theme('light'); });
	addEventListener('afterprint', () => theme(before));
	addEventListener('keydown', (e) => { if (e.key === 'Escape') store.select(null, 'key'); });

	panel('compare').section.append(table);
	replace(document.getElementById('app'), el('header', {}, el('h1', {}, report.title), heading), head,
		el('main', {}, code.section, el('div', { class: 'charts' }, panels.map((p) => p.section))));
	link();
	if (!report.kernels.length)
		throw new Error('the data name no kernel');
	const first = report.entries.find((e) => !e.failed && e.explain) || report.entries.find((e) => !e.failed) || report.entries[0];
	app.choose(first.result.launches[0].kernel, first.id);
	// For tests: what each chart holds, and where a point is on the screen.
	Object.assign(window.regloom, {
		charts: app.points,
		series: (id) => panel(id).chart().getOption().series.map((s) => ({ name: s.name, type: s.type, data: s.data, links: s.links, labels: s.label && s.label.formatter && s.type === 'bar' ? s.data.map((_, i) => s.label.formatter({ dataIndex: i })) : undefined })),
		missing: () => Object.fromEntries(panels.filter((p) => !(p.id in app.points)).map((p) => [p.id, p.section.querySelector('.missing').textContent])),
		pixel(id, x, y) {
			const box = document.getElementById('chart-' + id).getBoundingClientRect(), c = panel(id).chart(), at = c.convertToPixel({ gridIndex: 0 }, [x, y]);
			return [box.left + at[0], box.top + at[1]];
		},
		state: () => ({ kernel: store.kernel, entry: store.entry.label, hover: store.hover, selected: store.selected }),
		placeOfInsn: (i) => placeOfInsn(app.program, i), placeOfLine,
		ready: true,
	});
}

try {
	start();
} catch (e) {
	window.regloom = { ready: false, error: String(e.stack || e) };
	document.getElementById('app').append(el('p', { class: 'missing' }, 'This report cannot be shown: ' + e.message));
	throw e;
}
