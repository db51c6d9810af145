// What was run, whether it is right, and the numbers that everybody asks for first.
import { el } from './dom.js';
import { breakable, measure, number, plural, sum } from './format.js';
import { explained, metricsOf } from './model.js';

const verdicts = { pass: ['PASS', 'all results are as expected'], fail: ['FAIL', 'results differ from what is expected'], none: ['not judged', 'the launch file expects nothing'],
	partial: ['stopped', 'the run was stopped: the numbers are those of its part until then'] };

function verdict(r) {
	const [word, why] = verdicts[r.check] || [r.check, ''], bad = (r.expect || []).filter((x) => !x.pass);
	const counts = bad.map((x) => `${x.buffer}: ${plural(x.mismatches, 'mismatch').replace(/chs$/, 'ches')} of ${number(x.elements)}`);
	return el('div', { class: 'card verdict ' + r.check }, el('dt', {}, 'Verdict'), el('dd', { id: 'verdict' }, (r.check === 'pass' ? '\u2713 ' : r.check === 'fail' ? '\u2717 ' : '') + word), el('p', {}, counts.length ? counts.join('; ') : why));
}

const card = (name, value, more) => el('div', { class: 'card' }, el('dt', {}, name), el('dd', {}, value), more && el('p', {}, more));
const metric = (m, name) => (m && m[name] ? measure(m[name]) : null);

export function drawHead(app) {
	const e = app.store.entry, k = app.store.kernel, p = app.program, m = metricsOf(e, k), r = e.result, ex = explained(e, k), res = p.ann && p.ann.resources;
	const launches = (r.launches || []).filter((l) => l.kernel === k), first = launches[0], occ = ex && ex.occupancy[0];
	const cards = [verdict(r), card('Kernel', k, first && `${plural(launches.length, 'launch').replace(/hs$/, 'hes')}, grid ${first.grid.join(' \u00d7 ')}, block ${first.block.join(' \u00d7 ')}`),
		card('Configuration', breakable(e.name), `${e.machine || 'not timed'}${e.program === 'variant' ? ', the variant that shares registers' : ''}`)];
	if (e.failed)
		cards.push(card('This configuration', 'failed', 'it could not run to its end, so it has no numbers'));
	if (m) {
		cards.push(card('Cycles', m.cycles ? number(m.cycles.value) : 'not timed', m.warp_instructions && `${number(m.warp_instructions.value)} warp instructions`));
		if (m.ipc)
			cards.push(card('IPC', number(m.ipc.value), 'warp instructions a cycle, all SMs'));
		if (m.occupancy)
			cards.push(card('Occupancy', (100 * m.occupancy.value).toFixed(1) + ' %', occ && `${occ.ctas} CTAs of an SM at most, limited by ${occ.limited_by}`));
	} else if (!e.failed) {
		cards.push(card('Metrics', 'of the whole run only', 'this run had several kernels'));
	}
	if (res)
		cards.push(card('Registers', number(res.registers), `of a thread; ${p.ann.max_live.registers} live at most${res.spill_bytes ? `; ${res.spill_bytes} bytes spilled` : '; none spilled'}`));
	else if (occ)
		cards.push(card('Registers', number(occ.registers), 'of a thread'));
	if (m && m.rf_energy)
		cards.push(card('Register-file energy', metric(m, 'rf_energy'), m.rf_reads && `${number(m.rf_reads.value)} reads, ${number(m.rf_writes.value)} writes`));
	if (p.ex && p.slots) {
		const top = Object.entries(p.ex.slots).filter(([n]) => n !== 'issued').sort((a, b) => b[1] - a[1])[0];
		cards.push(card('Issue slots', (100 * (p.ex.slots.issued || 0) / sum(p.ex.slots)).toFixed(1) + ' % issued', top && `most others: ${top[0]}, ${(100 * top[1] / p.slots).toFixed(1)} %`));
	}
	const notes = [];
	if (r.partial)
		notes.push(`The run was stopped (${r.partial.why}) in launch ${r.partial.launch + 1}.`);
	if (r.estimate && r.estimate.launches)
		notes.push('Sampled: metrics and cycles are estimates.');
	if (p.foreign)
		notes.push('This configuration ran a variant of the kernel, whose annotations are not in the file: pressure, strands and places are left out.');
	return [el('dl', { class: 'cards' }, cards), notes.map((n) => el('p', { class: 'missing' }, n))];
}
