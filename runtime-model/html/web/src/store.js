// What is chosen and pointed at. A place is { insns: [indexes], file, line }, whose origin keeps the part of the page that it comes from from moving.
export function makeStore() {
	const listeners = { view: [], hover: [], select: [], theme: [] };
	return {
		kernel: null, entry: null, hover: null, selected: null,
		on(what, f) { listeners[what].push(f); },
		tell(what, ...args) { for (const f of listeners[what]) f(...args); },
		point(place, origin) {
			if (this.hover === place)
				return;
			this.hover = place;
			this.tell('hover', place, origin);
		},
		select(place, origin) {
			this.selected = place;
			this.tell('select', place, origin);
		},
	};
}

export function placeOfInsn(program, index) {
	const i = program.insns[index];
	return i ? { insns: [index], file: i.file, line: i.line } : null;
}

export const placeOfLine = (row) => ({ insns: row.insns || [], file: row.file, line: row.line });
