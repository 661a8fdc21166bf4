// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Bundles the page into one HTML file that needs nothing else: node build.mjs FOLDER leaves FOLDER/page.html and
// FOLDER/page.html.gz.

import {build} from 'esbuild';
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2];
if (!folder) {
  console.error('usage: node build.mjs FOLDER');
  process.exit(2);
}

async function bundle(file) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [file],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['es2021'],
    legalComments: 'none', // the whole licences stand at the end of the page
    logLevel: 'warning',
    loader: {'.css': 'css'},
  });
  return result.outputFiles[0].text.trim();
}

// What is inside the page under which licence, for whoever passes it on
function readLicence(name) {
  const {version} = JSON.parse(readFileSync(join(here, 'node_modules', name, 'package.json'), 'utf8'));
  const text = readFileSync(join(here, 'node_modules', name, 'LICENSE'), 'utf8');
  return `${name} ${version}\n\n${text.replaceAll('--', '- -').trim()}\n`;
}

const licences = ['three', 'uplot'].map(readLicence).join('\n');
const script = (await bundle('src/main.js')).replaceAll('</script', '<\\/script');
const style = await bundle('src/style.css');
const hash = createHash('sha256').update(script).digest('base64');
const page = readFileSync(join(here, 'index.html'), 'utf8')
  .replace('%POLICY%', () => `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; ` +
                             `img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'`)
  .replace('/*STYLE*/', () => style)
  .replace('/*SCRIPT*/', () => script)
  .replace('%LICENCES%', () => licences);
mkdirSync(folder, {recursive: true});
writeFileSync(join(folder, 'page.html'), page);
writeFileSync(join(folder, 'page.html.gz'), gzipSync(page, {level: 9}));
