// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The page comes up, draws, and asks nobody else for anything

import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

import {check, getState, setPaused, scenes, shoot, until, waitSteps, waitStill} from './stage.mjs';

check('load: the page draws the scene and its picture changes as the body moves', async (stage) => {
  const server = await stage.serve('ball', ['--paused']);
  const page = await stage.open(server);
  const state = await getState(page);
  assert.equal(state.source, 'live');
  assert.equal(state.connected, true);
  assert.equal(state.scene, 'ball');
  assert.equal(state.bodies.length, 1);
  assert.equal(state.bodies[0].name, 'ball');
  assert.ok(state.bodies[0].triangles > 100);
  assert.match(await page.textContent('#scene-name'), /ball/);

  // What is drawn in the middle of the body is the body, and not the ground that is there without it
  const centre = await page.evaluate(() => window.souple.centre(0));
  const hit = await page.evaluate(([x, y]) => window.souple.pick(x, y), centre.screen);
  assert.equal(hit.body, 0);

  await waitStill(page);
  const before = await shoot(page);
  await page.waitForTimeout(300);
  // The browser may put the same canvas under the same bars with another last bit: so drawings are counted, too
  const {drawn} = await getState(page);
  let same = before.equals(await shoot(page));
  for (let i = 0; i < 5 && !same; ++i) same = (await shoot(page)).equals(await shoot(page));
  assert.ok(same, 'a paused scene changes its picture');
  assert.equal((await getState(page)).drawn, drawn, 'a paused scene is drawn');
  await setPaused(page, false);
  await waitSteps(page, 15);
  await setPaused(page, true);
  assert.ok(!before.equals(await shoot(page)), 'the body moved and its picture did not');
});

check('load: an idle page draws nothing', async (stage) => {
  const server = await stage.serve('ball', ['--paused']);
  const page = await stage.open(server);
  await waitStill(page);
  const {drawn} = await getState(page);
  await page.waitForTimeout(1000);
  assert.equal((await getState(page)).drawn, drawn, 'the page draws without a reason');
});

check('load: another scene is chosen from the list', async (stage) => {
  const server = await stage.serve('ball');
  const page = await stage.open(server);
  await page.click('#scenes');
  await page.fill('#scene-search', 'beam');
  await page.locator('#scene-list [data-scene]:visible', {hasText: 'beam'}).first().click();
  await until(page, () => window.souple.state().scene === 'beam', 'the other scene');
  await until(page, () => window.souple.state().bodies[0]?.name === 'beam' && window.souple.vertex(0, 0), 'its body');
  await waitSteps(page, 5);
});

check('load: nothing can be read beside the page', async (stage) => {
  const server = await stage.serve('ball');
  const page = await stage.open(server);
  const statuses = await page.evaluate(async () => {
    const answers = [];
    for (const path of ['/etc/passwd', '/scenes/ball.json', '/%2e%2e/%2e%2e/etc/passwd', '/favicon.ico', '//etc/passwd']) {
      answers.push((await fetch(location.origin + path)).status);
    }
    return answers;
  });
  assert.ok(statuses.every((status) => status === 404 || status === 403), statuses.join(' '));
  stage.complaints = stage.complaints.filter((text) => !/status of 40[34]/.test(text));
});

check('load: a page of another place may not connect', async (stage) => {
  const server = await stage.serve('ball');
  const other = await stage.serve('ball');
  const page = await stage.open(server, {allow: [/./]});
  const outcome = await page.evaluate((port) => new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/live`, 'souple-1');
    socket.onopen = () => resolve('open');
    socket.onerror = () => resolve('refused');
  }), other.port);
  // The policy of the page forbids it, and the server too
  assert.equal(outcome, 'refused');
});

check('load: time waits for the first page, and a file that changes is opened again', async (stage) => {
  const file = join(stage.folder, 'own.json');
  const text = readFileSync(join(scenes, 'beam.json'), 'utf8');
  writeFileSync(file, text);
  const server = await stage.serve(file);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const page = await stage.open(server);
  const {step, serial} = await getState(page);
  assert.ok(step < 50, `${step} steps were done before anyone looked`);
  writeFileSync(file, text.replace(/"gravity": \[[^\]]*\]/, '"gravity": [0, 3, 0]').replace('{', '{ '));
  await until(page, (before) => window.souple.state().serial > before, 'the scene to be opened again', serial);
  writeFileSync(file, '{');
  await until(page, () => window.souple.state().notices.some((text) => /cannot be opened/.test(text)), 'what is wrong');
  assert.equal((await getState(page)).serial, serial + 1);
});

check('load: what was chosen, what is doubtful and tets inside out are said', async (stage) => {
  const file = join(stage.folder, 'doubtful.json');
  const press = {
    shape: 'box', halfSize: [1, 0.02, 1], transform: {position: [0, 0.5, 0]},
    motion: {keyframes: [{time: 0, position: [0, 0.5, 0]}, {time: 0.5, position: [0, 0.03, 0]}]},
  };
  writeFileSync(file, JSON.stringify({
    souple: 1, colliders: [{shape: 'plane'}, press],
    bodies: [{
      name: 'cube', mesh: {generator: 'box', size: [0.3, 0.3, 0.3], cells: [3, 3, 3]},
      transform: {position: [0, 0.16, 0]}, tets: {law: 'corotational', youngModulus: 2e4, mooney: 0.5},
    }],
  }));
  const server = await stage.serve(file);
  const page = await stage.open(server);
  assert.match(await page.textContent('#warnings'), /mooney/);
  assert.match(await page.textContent('#chosen'), /^cube is moved by \w+, chosen automatically: .+\.$/);
  await until(page, () => window.souple.state().notices.some((text) => /cube: tets turned inside out at .*: take a stiffer material/.test(text)), 'a word on tets');
  await until(page, () => /tets? inside out/.test(document.querySelector('#status').textContent), 'how many');
});
