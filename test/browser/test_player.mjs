// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Pause, single steps, start again, slow motion, saved states, and all of it by keys

import assert from 'node:assert/strict';

import {check, findVertex, getState, getVertex, setPaused, until, waitSteps, waitStill} from './stage.mjs';

check('player: pause, step and reset', async (stage) => {
  const server = await stage.serve('ball');
  const page = await stage.open(server);
  await waitSteps(page, 10);
  await page.click('#pause');
  await until(page, () => window.souple.state().paused, 'the pause');
  assert.equal(await page.getAttribute('#pause', 'aria-pressed'), 'true');
  await waitStill(page);
  const {step, time} = await getState(page);
  await page.waitForTimeout(300);
  assert.equal((await getState(page)).step, step, 'a paused scene goes on');

  await page.click('#step');
  await until(page, (last) => window.souple.state().step > last, 'the step', step);
  await waitStill(page);
  const stepped = await getState(page);
  assert.equal(stepped.step, step + 1);
  assert.ok(stepped.time > time);

  const top = await findVertex(page, 0, [0, 1, 0]);
  const fallen = await getVertex(page, 0, top);
  await page.click('#reset');
  await until(page, (last) => window.souple.state().time < last, 'the start', 0.05);
  await until(page, ([v, y]) => window.souple.vertex(0, v).world[1] > y, 'the ball at its start', [top, fallen[1] + 0.01]);
  const height = (await getVertex(page, 0, top))[1];
  assert.ok(Math.abs(height - 1.3) < 0.02, `the top of the ball is at ${height} m`);
});

check('player: slow motion', async (stage) => {
  const server = await stage.serve('ball');
  const page = await stage.open(server);
  await until(page, () => window.souple.state().ratio > 0.5, 'the pace of the wall clock');
  await page.locator('#speed').fill('-1');
  await until(page, () => Math.abs(window.souple.state().speed - 0.1) < 1e-3, 'the speed');
  await until(page, () => window.souple.state().ratio < 0.2, 'slow motion');
  const {step} = await getState(page);
  await until(page, (last) => window.souple.state().step > last, 'a step in slow motion', step);
});

check('player: a state is saved and comes back', async (stage) => {
  const server = await stage.serve('ball');
  const page = await stage.open(server);
  await waitSteps(page, 10);
  await setPaused(page, true);
  const top = await findVertex(page, 0, [0, 1, 0]);
  const saved = await getVertex(page, 0, top);
  const {time} = await getState(page);
  await page.fill('#state-name', 'here');
  await page.click('#state-save');
  await until(page, () => window.souple.state().states.includes('here'), 'the name of the state');
  await setPaused(page, false);
  await waitSteps(page, 20);
  await setPaused(page, true);
  assert.ok((await getState(page)).time > time);
  await page.click('#state-list [data-state="here"]');
  await until(page, (then) => Math.abs(window.souple.state().time - then) < 1e-9, 'the time of the state', time);
  await waitStill(page);
  const back = await getVertex(page, 0, top);
  assert.ok(Math.hypot(...back.map((x, i) => x - saved[i])) < 1e-3, `${back} is not ${saved}`);
});

check('player: by keys alone', async (stage) => {
  const server = await stage.serve('beam');
  const page = await stage.open(server);
  await waitSteps(page, 5);

  // Tab reaches the button, and Enter presses it
  let reached = false;
  for (let i = 0; i < 80 && !reached; ++i) {
    await page.keyboard.press('Tab');
    reached = await page.evaluate(() => document.activeElement?.id === 'pause');
  }
  assert.ok(reached, 'Tab does not reach the pause button');
  await page.keyboard.press('Enter');
  await until(page, () => window.souple.state().paused, 'the pause');
  await page.focus('#view');
  await page.keyboard.press('Space');
  await until(page, () => !window.souple.state().paused, 'the end of the pause');
  await page.keyboard.press('Space');
  await until(page, () => window.souple.state().paused, 'the pause again');
  await waitStill(page);
  const {step} = await getState(page);
  await page.keyboard.press('.');
  await until(page, (last) => window.souple.state().step === last + 1, 'one step', step);
  await page.keyboard.press('Space');

  // A point is chosen, grabbed, moved and let go
  await page.keyboard.press('n');
  await until(page, () => window.souple.state().selected, 'a chosen point');
  for (let i = 0; i < 30; ++i) {
    const chosen = await page.evaluate(() => {
      const {body, vertex} = window.souple.state().selected;
      return window.souple.vertex(body, vertex).world;
    });
    if (chosen[0] > 0.6) {
      break;
    }
    await page.keyboard.press('n');
  }
  const {selected} = await getState(page);
  await page.keyboard.press('Enter');
  await until(page, () => window.souple.state().grab, 'the grab');
  const before = await getVertex(page, selected.body, selected.vertex);
  for (let i = 0; i < 25; ++i) {
    await page.keyboard.press('ArrowUp');
  }
  await until(page, ([b, v, y]) => window.souple.vertex(b, v).world[1] > y + 0.01, 'the point to follow the hand',
              [selected.body, selected.vertex, before[1]]);
  await page.keyboard.press('Enter');
  await until(page, () => !window.souple.state().grab, 'the hand to let go');

  await page.keyboard.press('r');
  await until(page, () => window.souple.state().time < 1, 'the start');
  await page.keyboard.press('?');
  await page.waitForSelector('#help-dialog', {state: 'visible'});
  await page.keyboard.press('Escape');
  await page.waitForSelector('#help-dialog', {state: 'hidden'});
});
