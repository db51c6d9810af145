// Numbers as people read them. A value that is null is not known: the energy table has no cost for it.
export const reasons = ['issued', 'collector', 'residency', 'reuse', 'pending', 'scoreboard', 'memory', 'barrier', 'fetch', 'drain', 'empty', 'not_chosen'];

export function number(v) {
	if (v === null || v === undefined)
		return 'not known';
	if (typeof v !== 'number')
		return String(v);
	if (Number.isInteger(v))
		return v.toLocaleString('en-US').replace(/,/g, '\u202f');
	const a = Math.abs(v);
	return a >= 1000 ? number(Math.round(v)) : a >= 100 ? v.toFixed(1) : a >= 1 ? v.toFixed(3) : v === 0 ? '0' : a >= 0.001 ? v.toFixed(4) : v.toExponential(2);
}

export const short = (v) => (Math.abs(v) >= 1e9 ? +(v / 1e9).toPrecision(3) + 'G' : Math.abs(v) >= 1e6 ? +(v / 1e6).toPrecision(3) + 'M' :
	Math.abs(v) >= 1e4 ? +(v / 1e3).toPrecision(3) + 'k' : String(+(+v).toPrecision(4)));
export const percent = (part, whole, digits = 1) => (whole > 0 ? (100 * part / whole).toFixed(digits) + ' %' : '-');
// Value and unit as shown: energies of a run are many pJ, so those are shown in uJ.
export function scaled(m) {
	const unit = !m.unit || m.unit === '1' || m.unit === 'ratio' ? '' : m.unit;
	return unit === 'pJ' ? [m.value === null ? null : m.value / 1e6, 'uJ'] : [m.value, unit];
}
export const measure = (m) => (m ? number(scaled(m)[0]) + (m.value === null || !scaled(m)[1] ? '' : '\u00a0' + scaled(m)[1]) : '-');
export const breakable = (text) => String(text).replace(/[,+]/g, '$&\u200b');
export const sum = (counts) => Object.values(counts || {}).reduce((a, b) => a + b, 0);
export const word = (name) => name.replace(/_/g, ' ');
export const plural = (n, what) => number(n) + ' ' + what + (n === 1 ? '' : 's');
export const baseName = (file) => file.replace(/^.*\//, '');

// The reasons that occur, in the order of the table in docs/EXPLAIN.md.
export function reasonsOf(list) {
	const seen = new Set();
	for (const counts of list)
		for (const r in counts)
			if (counts[r])
				seen.add(r);
	return [...reasons.filter((r) => seen.has(r)), ...[...seen].filter((r) => !reasons.includes(r)).sort()];
}
