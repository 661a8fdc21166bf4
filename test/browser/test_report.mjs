// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A report opens from disk, without a server, and plays

import assert from 'node:assert/strict';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

import {check, findVertex, getState, getVertex, run, scenes, setPaused, shoot, until} from './stage.mjs';

async function makeReport(stage, scene = join(scenes, 'beam.json')) {
  const file = join(stage.folder, 'report.html');
  const made = await run(['run', scene, '--duration', '1', '--out', stage.folder, `--report=${file}`]);
  assert.equal(made.code, 0, made.words);
  assert.ok(existsSync(file), made.words);
  return pathToFileURL(file).href;
}

check('report: it opens from disk and plays', async (stage) => {
  const page = await stage.open(await makeReport(stage));
  const state = await getState(page);
  assert.equal(state.source, 'report');
  assert.ok(state.frames > 20, `${state.frames} frames`);
  assert.ok(state.playing, 'it does not play by itself');
  assert.match(await page.textContent('#report-title'), /beam/);
  assert.match(await page.textContent('#source'), /youngModulus/);
  assert.match(await page.textContent('#facts'), /\S/);

  // Values fill the range that is shown
  await page.selectOption('#colour', 'stress');
  await page.locator('#seek').fill(String(state.frames - 1));
  await until(page, () => new Set(window.souple.values(0)).size > 30, 'many shades of stress');
  await page.locator('#seek').fill('0');
  await until(page, () => window.souple.state().time < 0.05, 'the beginning');
  const first = await shoot(page);
  if ((await getState(page)).playing) {
    await page.click('#play');
  }
  await page.click('#play');
  await until(page, () => window.souple.state().playing, 'playing');
  await until(page, () => window.souple.state().time > 0.3, 'time to go on');
  await page.click('#play');
  await until(page, () => !window.souple.state().playing, 'the end of playing');
  assert.ok(!first.equals(await shoot(page)), 'time went on and the picture did not');

  await page.locator('#seek').fill(String(state.frames - 1));
  await until(page, () => window.souple.state().time > 0.95, 'the end');
  await page.focus('#view');
  const {frame} = await getState(page);
  await page.keyboard.press(',');
  await until(page, (last) => window.souple.state().frame < last, 'the frame before', frame);

  const plots = await page.evaluate(() => window.souple.plots());
  assert.ok(plots.some((plot) => plot.rows > 50 && plot.columns.some((name) => /tip/.test(name))), JSON.stringify(plots));
});

check('report: a hostile name does nothing', async (stage) => {
  const evil = '</title><script>evil = 1</script><img src=x onerror="evil=1">';
  const scene = JSON.parse(readFileSync(join(scenes, 'beam.json'), 'utf8'));
  scene.name = evil;
  scene.description = evil;
  scene.measurements[0].name = evil;
  const path = join(stage.folder, 'evil.json');
  writeFileSync(path, JSON.stringify(scene));
  const page = await stage.open(await makeReport(stage, path));
  assert.equal(await page.evaluate(() => window.evil), undefined);
  assert.ok((await page.textContent('#report-title')).includes('<script>'));
  const server = await stage.serve(path);
  const live = await stage.open(server);
  await live.click('#tab-plots');
  await live.click('#tab-scene');
  assert.equal(await live.evaluate(() => window.evil), undefined);
});

check('report: souple view plays a recording', async (stage) => {
  const made = await run(['run', join(scenes, 'beam.json'), '--duration', '0.5', '--out', stage.folder]);
  assert.equal(made.code, 0, made.words);
  const server = await stage.serve(join(stage.folder, 'beam.souple'));
  const page = await stage.open(server);
  assert.equal((await getState(page)).source, 'report');
  assert.ok((await getState(page)).frames > 5);
});

check('report: one without frames is a clean document', async (stage) => {
  const file = join(stage.folder, 'compare.html');
  const made = await run(['compare', join(scenes, 'ball.json'), '--duration', '0.05',
                          '--methods', 'symplecticEuler,verlet', `--report=${file}`]);
  assert.equal(made.code, 0, made.words);
  const page = await stage.open(pathToFileURL(file).href, {ready: false});
  await until(page, () => window.souple?.state().status === 'ready', 'the report');
  assert.ok((await page.locator('#sections table tr').count()) > 1);
  assert.equal(await page.locator('#view').isVisible(), false);
});

check('report: published numbers begin with a line for each work', async (stage) => {
  const file = join(stage.folder, 'truth.html');
  const made = await run(['reproduce', 'preconditioner', '--part', 'table', '--quick', '--out', stage.folder, `--report=${file}`]);
  assert.equal(made.code, 0, made.words);
  const page = await stage.open(pathToFileURL(file).href, {ready: false});
  await until(page, () => window.souple?.state().status === 'ready', 'the report');
  assert.equal(await page.locator('#sections h2').first().textContent(), 'The works');
  const line = page.locator('#sections section').first().locator('tbody td');
  assert.equal(await line.first().textContent(), 'Courtecuisse 2011');
  assert.ok(Number(await line.nth(1).textContent()) > 10);
  assert.ok((await page.locator('td.verdict-open').count()) > 0);
  assert.match(await page.locator('#sections h2').nth(1).textContent(), /^Courtecuisse 2011: Preconditioners/);
});

check('report: the live page saves what it remembers', async (stage) => {
  const server = await stage.serve('beam');
  const live = await stage.open(server);
  await live.selectOption('#colour', 'stress');
  await until(live, () => window.souple.state().colour === 'stress' && window.souple.state().time > 0.5, 'half a second of stress');
  await setPaused(live, true);
  const {time, step} = await getState(live);
  await live.click('#tab-view');
  const download = live.waitForEvent('download');
  await live.click('#save-report');
  const file = join(stage.folder, 'saved.html');
  await (await download).saveAs(file);

  const page = await stage.open(pathToFileURL(file).href);
  const state = await getState(page);
  assert.equal(state.source, 'report');
  assert.match(await page.textContent('#report-title'), /beam/);
  if (state.playing) await page.click('#play');
  await page.locator('#seek').fill(String(state.frames - 1));
  await until(page, (wanted) => window.souple.state().step === wanted, 'the last frame', step);
  assert.ok(Math.abs((await getState(page)).time - time) < 1e-6);
  await page.selectOption('#colour', 'stress');
  await until(page, () => new Set(window.souple.values(0)).size > 30, 'many shades of stress');
  // The same shape as the live page has
  const corner = await findVertex(page, 0, [1, 0, 0]);
  const [there, here] = [await getVertex(page, 0, corner), await getVertex(live, 0, corner)];
  there.forEach((x, k) => assert.ok(Math.abs(x - here[k]) < 1e-3, `${there} and ${here}`));
  const plots = await page.evaluate(() => window.souple.plots());
  assert.ok(plots.some((plot) => plot.rows > 2 && plot.columns.some((name) => /tip/.test(name))), JSON.stringify(plots));
});
