// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// 50 000 triangles, drawn by the processor: the page answers all the same

import assert from 'node:assert/strict';

import {check, getState, setPaused, until} from './stage.mjs';

// Generous, for machines that draw with one processor and step with the other
const ANSWER_LIMIT = 500; // ms from a click to its effect, median

check('large: 50 000 triangles stay responsive', async (stage) => {
  const server = await stage.serve('sheet');
  const page = await stage.open(server);
  assert.ok((await getState(page)).bodies[0].triangles > 50_000);
  const {frame} = await getState(page);
  await until(page, (last) => window.souple.state().frame > last + 10, 'ten frames', frame);

  // How late a timer fires is how long the page is busy with something else; the tab of settings is a button like any other
  const result = await page.evaluate(async () => {
    const late = [];
    let last = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      late.push(now - last - 10);
      last = now;
    }, 10);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    clearInterval(timer);
    late.sort((a, b) => a - b);
    return {median: late[late.length >> 1], most: late[late.length - 1], count: late.length};
  });
  const answers = [];
  for (const tab of ['plots', 'scene', 'settings', 'plots', 'settings']) {
    const begin = performance.now();
    await page.click(`#tab-${tab}`, {noWaitAfter: true});
    await until(page, (id) => document.getElementById(id).getAttribute('aria-selected') === 'true', 'the tab', `tab-${tab}`);
    answers.push(performance.now() - begin);
  }
  answers.sort((a, b) => a - b);
  const state = await getState(page);
  console.log(`# 50 000 triangles: timers ${result.median.toFixed(0)} ms late (median), ${result.most.toFixed(0)} ms at most; a click ` +
              `takes ${answers[2].toFixed(0)} ms (median), ${answers[4].toFixed(0)} ms at most; ` +
              `${state.framesPerSecond.toFixed(0)} pictures a second, quality ${state.quality}`);
  assert.ok(answers[2] < ANSWER_LIMIT, `a click takes ${answers} ms`);
  await setPaused(page, true);
});
