// The library, only what is used of it, and what all charts have in common: colours, theme, numbers as a table, marks along the code.
import * as echarts from 'echarts/core';
import { BarChart, CustomChart, GraphChart, LineChart } from 'echarts/charts';
import { DataZoomComponent, GridComponent, LegendScrollComponent, MarkAreaComponent, MarkLineComponent, TooltipComponent } from 'echarts/components';
import { CanvasRenderer } from 'echarts/renderers';
import { el, replace } from './dom.js';

echarts.use([BarChart, CustomChart, GraphChart, LineChart, DataZoomComponent, GridComponent, LegendScrollComponent, MarkAreaComponent,
	MarkLineComponent, TooltipComponent, CanvasRenderer]);

export const css = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();

// Colours that people with colour-blind eyes tell apart (Okabe and Ito), and patterns over them: neighbours in a stack differ in both.
const base = { blue: ['#0072b2', '#4aa3df'], orange: ['#e69f00', '#f0b429'], green: ['#009e73', '#2cc295'], red: ['#c8401f', '#ff7a59'], sky: ['#56b4e9', '#8fd0f7'],
	pink: ['#cc79a7', '#e39cc4'], yellow: ['#d6c400', '#f0e442'], grey: ['#8a8f98', '#8a919c'], pale: ['#d5d9df', '#3d444f'], violet: ['#7a5bb5', '#a98be0'], brown: ['#8c6239', '#c0925f'] };
export const dark = () => css('mode') === 'dark';
export const colour = (name) => base[name][dark() ? 1 : 0];
const names = Object.keys(base);
export const nth = (i) => colour(names[i % names.length]);
const byReason = { issued: 'blue', collector: 'orange', residency: 'violet', reuse: 'brown', pending: 'yellow', scoreboard: 'green', memory: 'red', barrier: 'pink', fetch: 'sky',
	drain: 'grey', empty: 'pale', not_chosen: 'yellow' };
export const reasonColour = (reason) => colour(byReason[reason] || 'brown');
const strokes = [
	null,
	{ dashArrayX: [1, 0], dashArrayY: [2, 5], rotation: -Math.PI / 4 },
	{ dashArrayX: [1, 0], dashArrayY: [1, 4] },
	{ symbol: 'circle', symbolSize: 0.35, dashArrayX: [[6, 6], [0, 6, 6, 0]], dashArrayY: [5, 0] },
	{ dashArrayX: [1, 0], dashArrayY: [2, 5], rotation: Math.PI / 4 },
	{ dashArrayX: [1, 0], dashArrayY: [1, 4], rotation: Math.PI / 2 },
	{ symbol: 'rect', symbolSize: 0.4, dashArrayX: [[7, 7], [0, 7, 7, 0]], dashArrayY: [6, 0] },
	{ symbol: 'triangle', symbolSize: 0.5, dashArrayX: [[8, 8], [0, 8, 8, 0]], dashArrayY: [7, 0] },
];
export function decal(i) {
	const s = strokes[i % strokes.length];
	return s ? { color: dark() ? 'rgba(0,0,0,.38)' : 'rgba(255,255,255,.55)', symbol: 'rect', symbolSize: 1, ...s } : { symbol: 'none' };
}

export const axisStyle = () => ({ axisLine: { lineStyle: { color: css('line') } }, axisTick: { lineStyle: { color: css('line') } }, axisLabel: { color: css('soft') },
	nameTextStyle: { color: css('soft') }, splitLine: { lineStyle: { color: css('grid') } } });

export const legend = (names) => ({ type: 'scroll', top: 0, left: 0, right: 0, data: names, textStyle: { color: css('ink') }, itemWidth: 18, itemHeight: 11, pageIconColor: css('accent'),
	pageTextStyle: { color: css('soft') }, icon: 'rect' });

// Room at the left for names, pixels.
export const room = (names) => Math.max(60, Math.min(220, 24 + 6.4 * Math.max(...names.map((n) => n.length))));

// Text of a tooltip as an element: rows of [colour or null, name, value].
export function tip(head, rows, foot) {
	return el('div', { class: 'tip' }, el('b', {}, head), el('table', {}, rows.map(([c, name, value]) =>
		el('tr', {}, el('td', {}, c && el('i', { style: { background: c } }), name), el('td', {}, value)))), foot && el('p', {}, foot));
}

export const tooltip = (formatter, more) => ({ confine: true, backgroundColor: css('panel'), borderColor: css('line'), textStyle: { color: css('ink'), fontSize: 12 }, formatter, ...more });

const points = (option) => [].concat(option.series || []).reduce((n, s) =>
	n + (s.data || []).filter((d) => d !== null && d !== undefined && !(d.value === null)).length + (s.links || s.edges || []).length, 0);

// A panel with a chart. spec: id, title, about, height, controls; draw(program) gives null, a text that says what is missing, or
// { option, table: { columns, rows: [{ cells, place }] }, at(x, y, params) -> place, code: true if its x axis is the code, ready(chart) }.
export function makePanel(app, spec) {
	const box = el('div', { class: 'chart', role: 'img', id: 'chart-' + spec.id }), marks = el('div', { class: 'marks' }), missing = el('p', { class: 'missing', hidden: true });
	const numbers = el('details', { class: 'numbers' }, el('summary', {}, 'Numbers')), controls = el('div', { class: 'controls' });
	const holder = el('div', { class: 'holder' }, box, marks);
	const section = el('section', { class: 'panel' + (spec.wide ? ' wide' : ''), id: 'panel-' + spec.id, 'aria-labelledby': 'title-' + spec.id },
		el('h2', { id: 'title-' + spec.id }, spec.title), el('p', { class: 'about' }, spec.about), controls, missing, holder, numbers);
	let chart = null, drawn = null, waiting = false;

	function draw() {
		const before = app.store.entry;
		try {
			drawn = before ? spec.draw(app.program, panel) : null;
		} finally {
			waiting = false;
		}
		const absent = !drawn || typeof drawn === 'string';
		missing.hidden = !absent;
		holder.hidden = numbers.hidden = absent;
		replace(missing, !absent ? '' : before.failed ? 'This configuration could not run to its end, so it has no numbers.' : drawn || 'Nothing to show.');
		marks.replaceChildren();
		delete app.points[spec.id];
		if (absent) {
			if (chart)
				chart.clear();
			return;
		}
		holder.style.height = box.style.height = (drawn.height || spec.height || 300) + 'px';
		if (!chart) {
			chart = echarts.init(box, null, { renderer: 'canvas', devicePixelRatio: Math.max(2, window.devicePixelRatio || 1) });
			listen();
			if (spec.code)
				chart.group = 'code';
		}
		chart.resize();
		chart.setOption({ animation: false, textStyle: { fontFamily: css('font') }, ...drawn.option }, { notMerge: true });
		box.setAttribute('aria-label', spec.title + ': ' + (drawn.says || 'see Numbers'));
		app.points[spec.id] = points(drawn.option);
		if (numbers.open)
			fillNumbers();
		mark();
	}
	function fillNumbers() {
		numbers.querySelector('.scroll')?.remove();
		if (drawn && drawn.table)
			numbers.append(numbersTable(app, drawn.table, spec.id));
	}
	function placeAt(e) {
		const where = [e.offsetX, e.offsetY];
		if (!drawn || !drawn.at || !chart.containPixel({ gridIndex: 0 }, where))
			return null;
		const [x, y] = chart.convertFromPixel({ gridIndex: 0 }, where);
		return drawn.at(Math.round(x), Math.round(y));
	}
	function listen() {
		const z = chart.getZr();
		let last = '';
		z.on('mousemove', (e) => {
			if (!drawn || !drawn.at)
				return;
			const p = placeAt(e), key = p ? p.file + ':' + p.line + ':' + p.insns.join() : '';
			z.setCursorStyle(p ? 'pointer' : 'default');
			if (key !== last)
				app.store.point(p, spec.id);
			last = key;
		});
		z.on('globalout', () => { last = ''; app.store.point(null, spec.id); });
		z.on('click', (e) => { const p = placeAt(e); if (p) app.store.select(p, spec.id); });
		chart.on('click', (p) => { const place = drawn && drawn.item && drawn.item(p); if (place) app.store.select(place, spec.id); });
		chart.on('mouseover', (p) => { const place = drawn && drawn.item && drawn.item(p); if (place) app.store.point(place, spec.id); });
		chart.on('mouseout', () => { if (drawn && drawn.item) app.store.point(null, spec.id); });
		chart.on('datazoom', mark);
	}
	// Lines at the instructions that are pointed at or selected.
	function mark() {
		if (!chart || !drawn || typeof drawn === 'string' || !spec.code) {
			marks.replaceChildren();
			return;
		}
		const list = [];
		for (const [place, kind] of [[app.store.selected, 'selected'], [app.store.hover, 'hover']])
			for (const i of (place ? place.insns : []).slice(0, 200)) {
				const y = chart.getModel().getComponent('grid', 0)?.coordinateSystem.getRect(), x = chart.convertToPixel({ xAxisIndex: 0 }, i);
				if (y && x >= y.x && x <= y.x + y.width)
					list.push(el('div', { class: 'mark ' + kind, style: { left: x + 'px', top: y.y + 'px', height: y.height + 'px' } }));
			}
		marks.replaceChildren(...list);
	}
	const later = () => {
		if (!waiting) {
			waiting = true;
			requestAnimationFrame(draw);
		}
	};
	numbers.addEventListener('toggle', () => { if (numbers.open) fillNumbers(); });
	app.store.on('hover', mark);
	app.store.on('select', mark);
	app.store.on('theme', draw);
	let width = 0;
	new ResizeObserver(() => {
		if (chart && box.clientWidth && box.clientWidth !== width) {
			width = box.clientWidth;
			chart.resize();
			if (drawn && drawn.fit)
				later();
			else
				mark();
		}
	}).observe(box);
	const panel = { section, controls, draw, id: spec.id, chart: () => chart, drawn: () => drawn, again: later };
	return panel;
}

export const link = () => echarts.connect('code');

const SHOWN = 1000;
function numbersTable(app, table) {
	const more = table.rows.length - SHOWN;
	return el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'numbers' }, el('table', {}, el('thead', {}, el('tr', {}, table.columns.map((c) => el('th', { scope: 'col' }, c)))),
		el('tbody', {}, table.rows.slice(0, SHOWN).map((r) => el('tr', {}, r.cells.map((c, i) =>
			el('td', {}, i === 0 && r.place ? el('button', { type: 'button', class: 'to', onclick: () => app.store.select(r.place, 'numbers') }, c) : c)))))),
		more > 0 && el('p', { class: 'about' }, `${more} more rows are in the JSON.`));
}
