// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Tests of the page in a real browser: node main.mjs [--command FILE] [--chromium FILE] [--results FOLDER] [WORDS].
// With WORDS only tests whose names contain them run. The exit code is 77 when something that they need is missing.

import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {after, before} from 'node:test';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';

const SKIP = 77;
const here = dirname(fileURLToPath(import.meta.url));

function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(SKIP);
}

const {values, positionals} = parseArgs({
  allowPositionals: true,
  options: {
    command: {type: 'string', default: join(here, '../../build-test/souple')},
    chromium: {type: 'string', default: '/usr/bin/chromium'},
    results: {type: 'string', default: join(here, '../../out/browser')},
  },
});

if (Number(process.versions.node.split('.')[0]) < 20) {
  skip(`Node.js ${process.versions.node} is too old for Playwright, which needs 20`);
}
if (!existsSync(values.chromium)) {
  skip(`there is no Chromium at ${values.chromium} (Debian: chromium)`);
}
if (!existsSync(join(here, 'node_modules/playwright-core'))) {
  skip('playwright-core is not there: npm ci in test/browser fetches it');
}
const doctor = spawnSync(values.command, ['doctor', '--json'], {encoding: 'utf8'});
if (doctor.error || doctor.status !== 0) {
  console.error(`${values.command} doctor: ${doctor.error?.message ?? doctor.stdout + doctor.stderr}`);
  process.exit(1);
}
for (const name of ['page', 'libwebsockets']) {
  if (!JSON.parse(doctor.stdout).parts.find((part) => part.name === name)?.present) {
    skip(`this build has no ${name}; souple doctor says what it lacks`);
  }
}

const {settings, launchBrowser, closeBrowser} = await import('./stage.mjs');
Object.assign(settings, {
  command: resolve(values.command),
  chromium: values.chromium,
  results: resolve(values.results),
  only: positionals.join(' '),
});
mkdirSync(settings.results, {recursive: true});
before(launchBrowser);
after(closeBrowser);
for (const part of ['load', 'player', 'hand', 'settings', 'look', 'back', 'plots', 'clients', 'report', 'contacts', 'large']) {
  await import(`./test_${part}.mjs`);
}
