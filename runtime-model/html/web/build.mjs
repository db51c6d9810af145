// Makes dist/page.html, one file with everything in it, and dist/LICENSES.txt. What the page is made of is README.md's.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const read = (name) => readFileSync(join(here, name), 'utf8');
const sha256 = (data, form) => createHash('sha256').update(data).digest(form);

// As `sha256sum build.mjs package-lock.json package.json src/* template.html | sha256sum`: check.sh compares it without npm.
function sourcesHash() {
	const names = ['build.mjs', 'package-lock.json', 'package.json', ...readdirSync(join(here, 'src')).sort().map((n) => 'src/' + n), 'template.html'];
	return sha256(names.map((n) => sha256(readFileSync(join(here, n)), 'hex') + '  ' + n + '\n').join(''), 'hex');
}

// The licence texts of each package of which a file is in the bundle.
function licences(inputs) {
	const names = new Set();
	for (const path of Object.keys(inputs)) {
		const m = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
		if (m)
			names.add(m[1]);
	}
	let text = 'The page of sm-model report holds code of these packages. Their licences:\n';
	for (const name of [...names].sort()) {
		const folder = join(here, 'node_modules', name), about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
		const found = readdirSync(folder, { withFileTypes: true }).filter((f) => f.isFile() && /^(licen[cs]e|notice|copyright)/i.test(f.name)).map((f) => f.name).sort();
		if (!found.some((f) => /^licen/i.test(f)))
			throw new Error(name + ' has no licence text');
		text += `\n${'='.repeat(78)}\n${name} ${about.version} (${about.license})\n`;
		for (const f of found)
			text += `${'-'.repeat(78)}\n${f}\n\n${readFileSync(join(folder, f), 'utf8').trim()}\n`;
		let more = [];
		try {
			more = readdirSync(join(folder, 'licenses')).sort();
		} catch { /* it has none */ }
		for (const f of more)
			text += `${'-'.repeat(78)}\nlicenses/${f}\n\n${readFileSync(join(folder, 'licenses', f), 'utf8').trim()}\n`;
	}
	return text.replace(/\r/g, '').replace(/[^\n\x20-\x7e]/g, '').replace(/[ \t]+$/gm, '');
}

// In what stands between <script> and </script> (or <style>), nothing may end it or begin a comment.
function safe(what, text) {
	if (/<\/(script|style)|<!--/i.test(text))
		throw new Error(what + ' holds </script, </style or <!--');
	return text;
}

const out = await build({
	absWorkingDir: here, entryPoints: ['src/main.js'], bundle: true, minify: true, write: false, metafile: true, format: 'iife', target: 'es2020',
	charset: 'ascii', legalComments: 'none', define: { 'process.env.NODE_ENV': '"production"' },
});
const css = await build({ absWorkingDir: here, entryPoints: ['src/style.css'], minify: true, write: false });
const text = licences(out.metafile.inputs);
const fill = {
	'@script@': safe('the bundle', out.outputFiles[0].text.trim().replace(/<\/(script|style)/gi, '<\\/$1').replace(/<!--/g, '<\\!--')),
	'@style@': safe('the style', css.outputFiles[0].text.trim()),
	'@sources@': sourcesHash(),
	'@licences@': text.replace(/&/g, '&amp;').replace(/</g, '&lt;'),
};
fill['@script-hash@'] = 'sha256-' + sha256(fill['@script@'], 'base64');
const page = read('template.html').replace(/@(script|script-hash|style|sources|licences)@/g, (m) => fill[m]);
for (const marker of ['<!--regloom:title-->', '<!--regloom:data-->'])
	if (page.split(marker).length !== 2)
		throw new Error(marker + ' is not there once');
mkdirSync(join(here, 'dist'), { recursive: true });
writeFileSync(join(here, 'dist/page.html'), page);
writeFileSync(join(here, 'dist/LICENSES.txt'), text);
console.log(`dist/page.html: ${page.length} bytes, of which the script has ${fill['@script@'].length}`);
