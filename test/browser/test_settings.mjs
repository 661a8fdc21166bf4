// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Sliders and fields change how the scene behaves

import assert from 'node:assert/strict';

import {check, enter, findVertex, getState, getVertex, setPaused, until, waitSteps} from './stage.mjs';

function getSetting(page, id) {
  return page.evaluate((name) => window.souple.state().settings.find((setting) => setting.id === name)?.value, id);
}

check('settings: a stiffer beam sags less', async (stage) => {
  const server = await stage.serve('beam', ['--paused']);
  const page = await stage.open(server);
  const tip = await findVertex(page, 0, [1, 0, 0]);
  const start = (await getVertex(page, 0, tip))[1];
  await setPaused(page, false);
  await waitSteps(page, 120);
  const soft = (await getVertex(page, 0, tip))[1];
  assert.ok(soft < start - 0.05, 'the beam does not sag');

  // The slider holds the decimal logarithm of the modulus, 5e5 Pa at first
  const id = 'setting-beam-tets.youngModulus';
  await page.click('#tab-settings');
  await page.locator(`[id="${id}-slider"]`).fill('7');
  await until(page, (name) => {
    const setting = window.souple.state().settings.find((item) => item.id === name);
    return setting && Math.abs(Math.log10(setting.value) - 7) < 0.05;
  }, 'the modulus', id);
  await waitSteps(page, 90);
  const stiff = (await getVertex(page, 0, tip))[1];
  assert.ok(start - stiff < 0.3 * (start - soft), `the sag was ${start - soft} m and is ${start - stiff} m`);
  assert.equal((await getState(page)).paused, false);
});

check('settings: without gravity nothing falls', async (stage) => {
  const server = await stage.serve('ball', ['--paused']);
  const page = await stage.open(server);
  await page.click('#tab-settings');
  await enter(page, '#setting-world-gravity-y', 0);
  await until(page, () => {
    const setting = window.souple.state().settings.find((item) => item.id === 'setting-world-gravity');
    return setting && setting.value[1] === 0;
  }, 'the end of gravity');
  const top = await findVertex(page, 0, [0, 1, 0]);
  const before = await getVertex(page, 0, top);
  await setPaused(page, false);
  await waitSteps(page, 30);
  const floating = await getVertex(page, 0, top);
  assert.ok(Math.abs(floating[1] - before[1]) < 2e-3, `it fell from ${before[1]} to ${floating[1]}`);
  await enter(page, '#setting-world-gravity-y', -9.81);
  await until(page, ([v, y]) => window.souple.vertex(0, v).world[1] < y - 0.1, 'the ball to fall', [top, before[1]]);
});

check('settings: another method takes over where the first one was', async (stage) => {
  const server = await stage.serve('beam');
  const page = await stage.open(server);
  await page.check('#settings-expert');
  await waitSteps(page, 90);
  const tip = await findVertex(page, 0, [1, 0, 0]);
  const before = (await getVertex(page, 0, tip))[1];
  await page.click('#tab-settings');
  const choice = page.locator('[id^="setting-beam-method"][id$="-choice"]').first();
  const labels = await choice.locator('option').allTextContents();
  const label = labels.find((text) => /xpbd/i.test(text));
  assert.ok(label, `no XPBD among ${labels}`);
  await choice.selectOption({label});
  await until(page, () => window.souple.state().settings.some((item) => item.id.includes('xpbd')), 'the settings of XPBD');
  await waitSteps(page, 30);
  const after = (await getVertex(page, 0, tip))[1];
  assert.ok(Number.isFinite(after) && Math.abs(after - before) < 0.15, `the tip was at ${before} and is at ${after}`);
  assert.deepEqual((await getState(page)).notices, []);
});

check('settings: what cannot be is refused with a sentence', async (stage) => {
  const server = await stage.serve('beam');
  const page = await stage.open(server);
  await page.click('#tab-settings');
  const id = 'setting-beam-tets.poissonRatio';
  const before = await getSetting(page, id);
  await enter(page, `[id="${id}-number"]`, 5);
  await page.waitForTimeout(500);
  const after = await getSetting(page, id);
  assert.ok(after >= 0 && after < 0.5, `Poisson's ratio was ${before} and is ${after}`);
  await waitSteps(page, 10);
});
