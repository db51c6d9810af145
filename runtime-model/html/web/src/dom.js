// Elements from text and nodes: text never becomes markup.
export function el(tag, props, ...children) {
	const e = document.createElement(tag);
	for (const [name, value] of Object.entries(props || {})) {
		if (value === undefined || value === null || value === false)
			continue;
		if (name.startsWith('on'))
			e.addEventListener(name.slice(2), value);
		else if (name === 'style')
			Object.assign(e.style, value);
		else
			e.setAttribute(name, value === true ? '' : value);
	}
	put(e, children);
	return e;
}

export function put(e, children) {
	for (const c of children.flat(Infinity))
		if (c !== undefined && c !== null && c !== false)
			e.append(c instanceof Node ? c : document.createTextNode(String(c)));
}

export function replace(e, ...children) {
	e.replaceChildren();
	put(e, children);
}

// A choice with a label. items: [value, text].
export function picker(label, items, value, change) {
	const s = el('select', { onchange: () => change(s.value) }, items.map(([v, t]) => el('option', { value: v, selected: v === value }, t)));
	return el('label', { class: 'picker' }, el('span', {}, label), s);
}
