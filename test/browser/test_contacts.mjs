// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Contact forces as arrows with a scale, contact pressure as a colour, what attachments hold as symbols

import assert from 'node:assert/strict';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

import {check, getState, here, run, scenes, shoot, until} from './stage.mjs';

check('contacts: arrows show what a ball presses with, and their scale', async (stage) => {
  const server = await stage.serve('ball');
  const page = await stage.open(server);
  assert.equal((await getState(page)).arrows.count, 0);
  await page.click('#tab-view');
  await page.check('#arrows');
  await until(page, () => window.souple.state().arrows.count > 0, 'arrows');
  const {arrows} = await getState(page);
  assert.ok(arrows.shown && arrows.largest > 0 && arrows.top >= arrows.largest, JSON.stringify(arrows));
  assert.match(arrows.scale, /^[125]0* [mk]?N$/);
  await page.waitForSelector('#arrow-legend', {state: 'visible'});
  const bar = await page.evaluate(() => document.querySelector('.arrow-bar').getBoundingClientRect().width);
  assert.ok(bar >= 20 && bar < 400, `a bar of ${bar} pixels`);
  await page.uncheck('#arrows');
  await until(page, () => window.souple.state().arrows.count === 0, 'no arrows');
  await page.waitForSelector('#arrow-legend', {state: 'hidden'});
});

check('contacts: pressure is a colour', async (stage) => {
  const server = await stage.serve('ball');
  const page = await stage.open(server);
  await page.selectOption('#colour', 'pressure');
  await until(page, () => window.souple.state().colour === 'pressure' && (window.souple.values(0) ?? []).some((value) => value > 0), 'pressure');
  assert.match(await page.textContent('#legend-title'), /Contact pressure, .*Pa/);
});

check('contacts: what attachments hold is marked', async (stage) => {
  const server = await stage.serve(join(here, '../../scenes/attachment.json'));
  const page = await stage.open(server);
  await until(page, () => window.souple.state().links.length === 2, 'links');
  const {links} = await getState(page);
  assert.ok(links[0].length > 0 && links[1].length === 6, JSON.stringify(links));
});

check('contacts: a report has arrows and pressure', async (stage) => {
  const out = join(stage.folder, 'out');
  const report = join(stage.folder, 'ball.html');
  const {code, words} = await run(['run', join(scenes, 'ball.json'), '--duration', '1', '--out', out, `--report=${report}`]);
  assert.equal(code, 0, words);
  const page = await stage.open(pathToFileURL(report).href);
  await page.click('summary:has-text("View")');
  await page.check('#arrows');
  await until(page, () => window.souple.state().arrows.count > 0, 'arrows');
  await page.selectOption('#colour', 'pressure');
  await until(page, () => window.souple.state().colour === 'pressure', 'pressure');
  await shoot(page);
});
