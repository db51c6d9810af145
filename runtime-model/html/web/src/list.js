// A list of rows of one height, of which only those in sight are in the page, so that long files stay fast. It scrolls, takes arrow keys,
// and tells who listens what the pointer is over and what is chosen.
import { el } from './dom.js';

export const ROW = 20;          // pixels, as in style.css
const PRINTED = 4000;           // rows at most on paper

export function makeList(id, label, { row, hover, choose }) {
	const space = el('div', { class: 'space' }), box = el('div', { class: 'rows', id, tabindex: 0, role: 'listbox', 'aria-label': label }, space);
	let rows = [], first = 0, last = 0, current = -1, marked = new Set(), chosen = new Set(), all = false;

	function node(i) {
		const e = row(rows[i], i);
		e.id = id + '-' + i;
		e.dataset.row = i;
		e.setAttribute('role', 'option');
		e.setAttribute('aria-selected', chosen.has(i));
		e.classList.add('row');
		e.style.top = i * ROW + 'px';
		state(e, i);
		return e;
	}
	function state(e, i) {
		e.classList.toggle('marked', marked.has(i));
		e.classList.toggle('chosen', chosen.has(i));
		e.classList.toggle('current', i === current);
		e.setAttribute('aria-selected', chosen.has(i));
	}
	function show(force) {
		const from = all ? 0 : Math.max(0, Math.floor(box.scrollTop / ROW) - 15), to = all ? Math.min(rows.length, PRINTED) : Math.min(rows.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + 15);
		if (!force && from === first && to === last)
			return;
		first = from;
		last = to;
		const list = [];
		for (let i = from; i < to; i++)
			list.push(node(i));
		space.replaceChildren(...list);
	}
	function states() {
		for (const e of space.children)
			state(e, +e.dataset.row);
		if (current >= 0)
			box.setAttribute('aria-activedescendant', id + '-' + current);
		else
			box.removeAttribute('aria-activedescendant');
	}
	function into(i, middle) {
		const y = i * ROW;
		if (middle ? y < box.scrollTop + ROW || y > box.scrollTop + box.clientHeight - 2 * ROW : false)
			box.scrollTop = Math.max(0, y - box.clientHeight / 2);
		else if (y < box.scrollTop)
			box.scrollTop = y;
		else if (y + ROW > box.scrollTop + box.clientHeight)
			box.scrollTop = y + ROW - box.clientHeight;
		show();
	}
	function go(i) {
		current = Math.max(0, Math.min(rows.length - 1, i));
		into(current);
		states();
		hover(rows[current]);
	}
	const rowAt = (e) => e.target.closest('.row');
	box.addEventListener('scroll', () => show());
	box.addEventListener('mousemove', (e) => { const r = rowAt(e); hover(r ? rows[+r.dataset.row] : null); });
	box.addEventListener('mouseleave', () => hover(null));
	box.addEventListener('click', (e) => { const r = rowAt(e); if (r) { current = +r.dataset.row; choose(rows[current]); } });
	box.addEventListener('keydown', (e) => {
		const page = Math.max(1, Math.floor(box.clientHeight / ROW) - 1);
		const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -rows.length, End: rows.length }[e.key];
		if (step)
			go(current + step);
		else if ((e.key === 'Enter' || e.key === ' ') && current >= 0)
			choose(rows[current]);
		else
			return;
		e.preventDefault();
	});
	new ResizeObserver(() => show()).observe(box);
	return {
		box,
		fill(list) {
			rows = list;
			current = -1;
			marked = new Set();
			chosen = new Set();
			space.style.height = rows.length * ROW + 'px';
			box.scrollTop = 0;
			show(true);
		},
		mark(test) { marked = new Set(rows.flatMap((r, i) => (test && test(r) ? [i] : []))); states(); },
		choose(test, scroll) {
			chosen = new Set(rows.flatMap((r, i) => (test && test(r) ? [i] : [])));
			const at = [...chosen][0];
			if (at !== undefined) {
				if (!chosen.has(current))
					current = at;
				if (scroll)
					into(at, true);
			}
			states();
		},
		whole(on) { all = on; show(true); },
		rows: () => rows,
	};
}
