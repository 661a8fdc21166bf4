// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the hand does: drag, pin, poke

import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {join} from 'node:path';

import {check, findVertex, getState, getVertex, run, setPaused, until, waitSteps} from './stage.mjs';

// Presses the mouse on what is drawn at a vertex and moves it
async function drag(page, from, by, pieces = 8) {
  await page.mouse.move(from[0], from[1]);
  await page.mouse.down();
  for (let i = 1; i <= pieces; ++i) {
    await page.mouse.move(from[0] + (by[0] * i) / pieces, from[1] + (by[1] * i) / pieces);
    await page.waitForTimeout(30);
  }
}

// Waits until the free end of the beam does not move any more: what is measured before that depends on luck
async function waitRest(page) {
  const tip = await findVertex(page, 0, [1, 0, 1]);
  let last = await getVertex(page, 0, tip);
  for (let i = 0; i < 120; ++i) {
    await waitSteps(page, 15);
    const now = await getVertex(page, 0, tip);
    if (Math.hypot(...now.map((x, k) => x - last[k])) < 2e-4) {
      return;
    }
    last = now;
  }
  throw new Error('the beam does not come to rest');
}

// The vertex that is drawn nearest to the free end of the beam, in front
async function pickNearTip(page) {
  const tip = await findVertex(page, 0, [1, 0, 1]);
  const {screen} = await page.evaluate((v) => window.souple.vertex(0, v), tip);
  for (let dx = 0; dx > -80; dx -= 4) {
    const place = [screen[0] - 6 + dx, screen[1] - 6];
    const hit = await page.evaluate(([x, y]) => window.souple.pick(x, y), place);
    if (hit) {
      return {...hit, place};
    }
  }
  throw new Error('nothing is drawn near the tip');
}

check('hand: dragging moves the node that was grabbed', async (stage) => {
  const record = join(stage.folder, 'hand.souple');
  const server = await stage.serve('beam', ['--record', record]);
  const page = await stage.open(server);
  await waitRest(page);
  const hit = await pickNearTip(page);
  const before = await getVertex(page, 0, hit.vertex);
  await page.evaluate(() => {
    document.querySelector('#grab-stiffness').value = '3';
    document.querySelector('#grab-stiffness').dispatchEvent(new Event('input', {bubbles: true}));
  });
  await drag(page, hit.place, [0, -120]);
  await until(page, () => window.souple.state().grab, 'the grab');
  const {grab} = await getState(page);
  assert.equal(grab.body, 0);
  assert.equal(grab.node, hit.node, 'another node was grabbed');
  assert.ok(grab.patch > 4, `${grab.patch} nodes are held`);
  await until(page, ([v, y]) => window.souple.vertex(0, v).world[1] > y + 0.03, 'the node to rise', [grab.vertex, before[1]]);
  await until(page, () => {
    const {grab: held} = window.souple.state();
    return held && Math.hypot(...[].concat(held.force)) > 1;
  }, 'a force of the hand');
  await page.mouse.up();
  await until(page, () => !window.souple.state().grab, 'the hand to let go');
  await until(page, ([v, y]) => window.souple.vertex(0, v).world[1] < y + 0.02, 'the node to fall back',
              [grab.vertex, before[1]]);

  // What was done is recorded, and done again it gives the same bits
  await server.stop();
  assert.ok(existsSync(record), `no recording:\n${server.words}`);
  const replay = await run(['replay', record]);
  assert.equal(replay.code, 0, replay.words);
  stage.complaints = stage.complaints.filter((text) => !/WebSocket/.test(text));
});

check('hand: the pointer reads a node, a click plots it', async (stage) => {
  const server = await stage.serve('beam');
  const page = await stage.open(server);
  await waitSteps(page, 30);
  const [x, y] = (await page.evaluate(() => window.souple.centre(0))).screen;
  await page.mouse.move(x - 3, y);
  await page.mouse.move(x, y);
  await page.waitForSelector('#probe', {state: 'visible'});
  assert.match(await page.textContent('#probe'), /node \d+.*stress.*Pa.*strain.*displacement.*m/s);
  await page.mouse.down();
  await page.mouse.up();
  await until(page, () => window.souple.plots()[0].id === 'plot-probe-stress', 'plots of the node');
  await until(page, () => /,\d/.test(window.souple.csv('plot-probe-stress').trim().split('\n').at(-1)), 'numbers of the node');
});

check('hand: a click pins and another frees', async (stage) => {
  const server = await stage.serve('beam');
  const page = await stage.open(server);
  await waitSteps(page, 60);
  await setPaused(page, true);
  const pins = (await getState(page)).bodies[0].pins.length;
  await page.click('#mode-pin');
  const hit = await pickNearTip(page);
  await page.mouse.click(...hit.place);
  await until(page, (count) => window.souple.state().bodies[0].pins.length === count + 1, 'a pin', pins);
  await page.mouse.click(...hit.place);
  await until(page, (count) => window.souple.state().bodies[0].pins.length === count, 'the end of the pin', pins);
});

check('hand: the sphere pushes', async (stage) => {
  const server = await stage.serve('beam');
  const page = await stage.open(server);
  await waitRest(page);
  const tip = await findVertex(page, 0, [1, 0, 1]);
  const before = await getVertex(page, 0, tip);
  await page.click('#mode-poke');
  const hit = await pickNearTip(page);
  await drag(page, hit.place, [0, 0], 20);
  await until(page, ([v, p]) => Math.hypot(...window.souple.vertex(0, v).world.map((x, i) => x - p[i])) > 0.01,
              'the beam to give way', [tip, before]);
  await page.mouse.up();
  const {x, y} = await page.locator('#mode-grab').boundingBox();
  await page.mouse.move(x + 4, y + 4);
  await page.click('#mode-grab');
  await until(page, ([v, p]) => Math.hypot(...window.souple.vertex(0, v).world.map((q, i) => q - p[i])) < 0.02,
              'the beam to come back', [tip, before]);
});

check('hand: a blade cuts the beam in two, a sphere carves it, and the recording says so', async (stage) => {
  const record = join(stage.folder, 'cut.souple');
  const server = await stage.serve('cut', ['--record', record]);
  const page = await stage.open(server);
  await waitRest(page);
  const triangles = async () => (await getState(page)).bodies[0].triangles;
  const whole = await triangles();
  assert.equal((await getState(page)).bodies[0].bare, 0);
  // Where the middle of the beam is drawn
  const place = (low, high) => page.evaluate(([l, h]) => {
    const all = Array.from({length: window.souple.state().bodies[0].vertices}, (_, i) => window.souple.vertex(0, i));
    const near = all.filter(({world}) => world[0] > l && world[0] < h).map(({screen}) => screen);
    return [0, 1].map((k) => near.reduce((sum, screen) => sum + screen[k], 0) / near.length);
  }, [low, high]);
  const middle = await place(0.35, 0.65);
  await page.click('#mode-cut');
  await drag(page, [middle[0] + 3, middle[1] - 90], [4, 200], 30);
  await page.mouse.up();
  await until(page, (count) => window.souple.state().bodies[0].triangles > count + 8, 'the faces of the cut', whole);
  // Both sides of the cut, and vertices of their own for their colour
  await until(page, () => window.souple.state().bodies[0].bare > 8, 'faces laid bare');
  await page.keyboard.press('6');
  assert.equal((await getState(page)).mode, 'carve');
  await waitSteps(page, 10);
  const {vertices} = (await getState(page)).bodies[0];
  const cut = await triangles();
  await drag(page, await place(0.1, 0.3), [40, 0], 6);
  await page.mouse.up();
  await until(page, ([t, v]) => window.souple.state().bodies[0].triangles !== t || window.souple.state().bodies[0].vertices !== v,
              'a hole', [cut, vertices]);
  assert.deepEqual((await getState(page)).notices, []);
  await page.close();
  await server.stop();
  const replay = await run(['replay', record]);
  assert.equal(replay.code, 0, replay.words);
});

check('hand: beside a body the mouse turns the camera', async (stage) => {
  const server = await stage.serve('beam', ['--paused']);
  const page = await stage.open(server);
  const before = await page.evaluate(() => window.souple.vertex(0, 0).screen);
  const box = await page.locator('#view').boundingBox();
  await drag(page, [box.x + 60, box.y + box.height - 120], [80, 0]);
  await page.mouse.up();
  await until(page, (p) => Math.hypot(...window.souple.vertex(0, 0).screen.map((x, i) => x - p[i])) > 5, 'another view', before);
  assert.equal((await getState(page)).grab, null);
  await page.keyboard.press('f');
});
