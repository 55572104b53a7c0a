/** Makes the one HTML file of the survey page. Run by scripts/build-page. */

import { build } from 'esbuild';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

const here = new URL('.', import.meta.url);
const target = new URL('../src/limen/survey/built/', here);
const MOST_BYTES = 15_000;

/** Names that never leave the bundle: not on the wire, not kept in the browser, not the browser's own. They are made short. */
const OURS = [
  'acknowledged', 'acquire', 'asking', 'codeLabel', 'codeUnknown', 'codeView', 'comeBack', 'copied', 'deleteLocal', 'durable',
  'early', 'fragile', 'handOverView', 'happened', 'holds', 'hurry', 'isEmpty', 'judge', 'keysSwitch', 'mention',
  'moodChanged', 'noCode', 'outdated', 'ownCode', 'renew', 'resized', 'retryAfterMs', 'returned', 'saveAnswers', 'saveButton', 'saveFile',
  'session', 'setting', 'settled', 'showFeedback', 'showTrial', 'showView', 'snapshot', 'startAgain', 'takeOver', 'unreachable',
  'visibleMs', 'withdrawalLink',
];
const outside = await Promise.all(['wire.gen.ts', 'record.ts'].map((name) => readFile(new URL(`src/${name}`, here), 'utf8')));
const theirs = OURS.filter((name) => outside.some((text) => new RegExp(`readonly ${name}\\b|^  ${name}:`, 'm').test(text)));
if (theirs.length) throw new Error(`these names are sent or kept, and cannot be made short: ${theirs}`);

const options = { bundle: true, minify: true, write: false, charset: 'utf8', legalComments: 'none', logLevel: 'warning' };
const source = (name) => new URL(`src/${name}`, here).pathname;
const [script, style] = await Promise.all([
  build({ ...options, entryPoints: [source('main.ts')], format: 'iife', target: ['es2021'], mangleProps: new RegExp(`^(${OURS.join('|')})$`) }),
  build({ ...options, entryPoints: [source('styles.css')], target: ['chrome100', 'firefox100', 'safari15.4'] }),
]);

const parts = { __STYLE__: style.outputFiles[0].text.trim(), __SCRIPT__: script.outputFiles[0].text.trim() };
for (const text of Object.values(parts)) {
  if (/<\/(script|style)|<!--|__LIMEN_/i.test(text)) throw new Error('the bundle holds what would end its element');
}
let page = await readFile(source('page.html'), 'utf8');
for (const [name, text] of Object.entries(parts)) page = page.replace(name, () => text);

const size = gzipSync(page, { level: 9 }).length;
if (size > MOST_BYTES) throw new Error(`the page has ${size} bytes gzipped; at most ${MOST_BYTES} are allowed`);
await mkdir(target, { recursive: true });
const unfinished = new URL(`page.html.${process.pid}`, target); // whoever reads the page meanwhile reads a whole one
await writeFile(unfinished, page);
await rename(unfinished, new URL('page.html', target));
