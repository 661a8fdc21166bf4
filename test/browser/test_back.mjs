// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Ways to look and to go back: clip plane, opacity, cameras, the last minute, values as they were, the scene as it is now

import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';

import {check, getState, run, setPaused, shoot, until, waitSteps, waitStill} from './stage.mjs';

check('back: bodies are cut open, seen through and looked at from all sides', async (stage) => {
  const server = await stage.serve('beam', ['--paused']);
  const page = await stage.open(server);
  await page.click('#tab-view');
  const pictures = new Set();
  const keep = async () => {
    await waitStill(page);
    pictures.add((await shoot(page)).toString('base64'));
  };
  await keep();
  await page.selectOption('#clip-axis', 'x');
  await keep();
  await page.selectOption('#clip-axis', 'none');
  await page.locator('#opacity').fill('0.3');
  await keep();
  await page.click('#camera-side');
  await keep();
  assert.equal(pictures.size, 4);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#picture')]);
  assert.match(download.suggestedFilename(), /beam\.png$/);
});

check('back: the last minute can be seen again', async (stage) => {
  const server = await stage.serve('beam');
  const page = await stage.open(server);
  await waitSteps(page, 60);
  await until(page, () => Number(document.querySelector('#rewind').max) > 5, 'some pictures');
  await page.locator('#rewind').fill('1');
  await until(page, () => window.souple.state().paused, 'the pause');
  const early = (await getState(page)).time;
  await page.focus('#reset'); // Space pauses and runs, whatever has the focus
  await page.keyboard.press(' ');
  await until(page, (time) => !window.souple.state().paused && window.souple.state().time > time + 0.5, 'time to go on', early);
  await setPaused(page, true);
  await page.focus('#setting-world-gravity-y');
  await page.keyboard.press(' ');
  await until(page, () => !window.souple.state().paused, 'time to go on from a field');
});

check('back: a value as at the start, one that is refused, and the scene as it is now', async (stage) => {
  const server = await stage.serve('beam');
  const page = await stage.open(server);
  const value = (id) => page.evaluate((wanted) => window.souple.state().settings.find((s) => s.id === wanted)?.value, id);
  const modulus = 'setting-beam-tets.youngModulus';
  const before = await value(modulus);
  assert.equal(await page.isVisible('#setting-beam-method'), false, 'experts see the method');
  const type = async (text) => {
    await page.locator(`[id="${modulus}-number"]`).fill(text);
    await page.keyboard.press('Enter');
  };
  await type('-5');
  await until(page, ([id, wanted]) => Number(document.getElementById(`${id}-number`).value) === wanted,
              'the refused value to go back', [modulus, before]);
  await type(String(2 * before));
  await until(page, ([id, wanted]) => window.souple.state().settings.find((s) => s.id === id)?.value === wanted,
              'the engine to confirm', [modulus, 2 * before]);
  const text = await page.evaluate(() => window.souple.sceneText());
  assert.equal(JSON.parse(text).bodies[0].tets.youngModulus, 2 * before);
  const file = join(stage.folder, 'copy.json');
  writeFileSync(file, text);
  const checked = await run(['check', file]);
  assert.equal(checked.code, 0, checked.words);
  await page.click(`[id="${modulus}-reset"]`);
  await until(page, ([id, wanted]) => window.souple.state().settings.find((s) => s.id === id)?.value === wanted,
              'the value of the start', [modulus, before]);
});
