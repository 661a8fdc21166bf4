// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// 50 000 triangles, drawn by the processor: the page answers all the same

import assert from 'node:assert/strict';

import {check, getState, setPaused, until} from './stage.mjs';

const SCRIPT_LIMIT = 4; // ms of script for a frame, beside drawing: the least of many, for the machine may be busy

// Generous, for machines that draw with one processor and step with the other
const DELAY_LIMIT = 500; // ms from a click to the moment when the page hears of it, median

check('large: 50 000 triangles stay responsive', async (stage) => {
  const server = await stage.serve('sheet');
  const page = await stage.open(server);
  assert.ok((await getState(page)).bodies[0].triangles > 50_000);
  const {frame} = await getState(page);
  await until(page, (last) => window.souple.state().frame > last + 10, 'ten frames', frame);

  await page.evaluate(() => {
    window.delays = [];
    addEventListener('pointerdown', (event) => window.delays.push(performance.now() - event.timeStamp), true);
  });
  const tabs = await Promise.all(['plots', 'scene', 'settings'].map((tab) => page.locator(`#tab-${tab}`).boundingBox()));
  for (let i = 0; i < 12; ++i) {
    const box = tabs[i % 3];
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForTimeout(100);
  }
  await until(page, () => window.delays.length === 12, 'the clicks');
  await until(page, () => document.getElementById('tab-settings').getAttribute('aria-selected') === 'true', 'the last tab');
  await until(page, (last) => window.souple.state().frame > last + 60, 'sixty frames', frame);
  const delays = (await page.evaluate(() => window.delays)).sort((a, b) => a - b);
  const state = await getState(page);
  console.log(`# 50 000 triangles: a click waits ${delays[6].toFixed(0)} ms (median), ${delays[11].toFixed(0)} ms at most; ` +
              `${state.framesPerSecond} pictures a second, quality ${state.quality}`);
  console.log(`# 50 000 triangles: ${state.script.median.toFixed(1)} ms of script a frame (median), ${state.script.least.toFixed(1)} ms at least`);
  assert.ok(state.script.least > 0 && state.script.least < SCRIPT_LIMIT, `a frame takes ${state.script.least} ms of script`);
  assert.ok(delays[6] < DELAY_LIMIT, `clicks wait ${delays.map(Math.round)} ms`);
  await setPaused(page, true);
});
