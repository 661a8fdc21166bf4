// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Colours and their legend, ways to draw, dark and light, wide and narrow

import assert from 'node:assert/strict';

import {check, getState, setPaused, shoot, until, waitSteps, waitStill} from './stage.mjs';

check('look: the legend names what the colours mean', async (stage) => {
  const server = await stage.serve('beam');
  const page = await stage.open(server);
  await waitSteps(page, 30);
  for (const [colour, unit] of [['stress', /Pa/], ['displacement', /\bm\b|mm|cm/], ['velocity', /m\/s/], ['strain', /./]]) {
    await page.selectOption('#colour', colour);
    await until(page, (wanted) => window.souple.state().colour === wanted && window.souple.state().top > 0, colour, colour);
    await page.waitForSelector('#legend', {state: 'visible'});
    assert.match(await page.textContent('#legend'), unit);
    assert.match(await page.textContent('#legend-ticks'), /\d/);
  }
  await page.selectOption('#colour', 'none');
  await page.waitForSelector('#legend', {state: 'hidden'});
});

check('look: surface, mesh, tets and points are different pictures', async (stage) => {
  const server = await stage.serve('beam', ['--paused']);
  const page = await stage.open(server);
  const pictures = new Set();
  for (const way of ['surface', 'mesh', 'tets', 'points']) {
    await page.selectOption('#draw', way);
    await until(page, (wanted) => window.souple.state().draw === wanted, way, way);
    await waitStill(page);
    pictures.add((await shoot(page)).toString('base64'));
  }
  assert.equal(pictures.size, 4);
});

check('look: a beam has flat sides, sharp edges and many shades', async (stage) => {
  const server = await stage.serve('beam');
  const page = await stage.open(server);
  await page.selectOption('#colour', 'stress');
  await waitSteps(page, 30);
  await until(page, () => window.souple.state().colour === 'stress', 'stress');
  const {drawn, vertices, shades, floor} = await page.evaluate(() => ({
    drawn: window.souple.creases(0), vertices: window.souple.state().bodies[0].vertices,
    shades: new Set(window.souple.values(0)).size, floor: window.souple.state().top,
  }));
  assert.ok(drawn > vertices, `${drawn} of ${vertices} vertices`);
  assert.ok(shades > 30, `${shades} shades`);
  assert.ok(floor >= 1, `colours end at ${floor} Pa`);
});

check('look: jelly, cloth and balloon are different pictures of one beam', async (stage) => {
  const server = await stage.serve('beam', ['--paused']);
  const page = await stage.open(server);
  await page.click('#tab-view');
  const pictures = new Set();
  for (const look of ['auto', 'jelly', 'cloth', 'balloon']) {
    await page.selectOption('#made', look);
    await waitStill(page);
    pictures.add((await shoot(page)).toString('base64'));
  }
  assert.equal(pictures.size, 4);
});

// Nothing sticks out of the window, and what is shown is inside of it
async function checkFits(page, narrow) {
  const {wide, width, tall, sizes} = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    width: window.innerWidth,
    tall: window.innerHeight,
    sizes: ['pause', 'step', 'reset', 'rewind', 'speed-value', 'draw', 'colour', 'mode-poke', 'scenes', 'fit', 'panel-toggle', 'legend'].map((id) => {
      const box = document.getElementById(id).getBoundingClientRect();
      return [id, box.left, box.right, box.width, box.height, box.top, box.bottom, document.getElementById(id).matches('button.tool')];
    }),
  }));
  const legend = sizes.find(([id]) => id === 'legend');
  for (const [id, left, right, , , top, bottom] of sizes) {
    if (id === 'legend') continue;
    const apart = right <= legend[1] || left >= legend[2] || bottom <= legend[5] || top >= legend[6];
    assert.ok(apart, `${id} is under the legend in a window of ${width} x ${tall}`);
  }
  assert.ok(wide <= width, `the page is ${wide} wide in a window of ${width}`);
  for (const [id, left, right, itsWidth, height, top, bottom, tool] of sizes) {
    assert.ok(top >= 0 && bottom <= tall + 1, `${id} is outside: ${top} to ${bottom} of ${tall}`);
    assert.ok(left >= 0 && right <= width + 1, `${id} is outside: ${left} to ${right} of ${width}`);
    const least = !tool ? 1 : narrow ? 44 : 20;
    assert.ok(itsWidth >= least && height >= least, `${id} is too small: ${itsWidth} x ${height}`);
  }
}

check('look: dark and light, wide and narrow', async (stage) => {
  const server = await stage.serve('ball', ['--paused']);
  const page = await stage.open(server, {colorScheme: 'light'});
  assert.equal((await getState(page)).dark, false);
  const brightness = () => page.evaluate(() => {
    const numbers = getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g).map(Number);
    return (numbers[0] + numbers[1] + numbers[2]) / 3;
  });
  const light = await brightness();
  await page.emulateMedia({colorScheme: 'dark'});
  await until(page, () => window.souple.state().dark, 'the dark page');
  const dark = await brightness();
  assert.ok(dark < light - 100, `brightness ${light} and ${dark}`);
  await page.focus('#view');
  await page.keyboard.press('d');
  await until(page, () => !window.souple.state().dark, 'the light page');
  await page.selectOption('#colour', 'displacement');
  await page.waitForSelector('#legend', {state: 'visible'});
  for (const [width, height] of [[1440, 900], [800, 500], [844, 390], [390, 844], [320, 568]]) {
    await page.setViewportSize({width, height});
    // The legend moves when the rows below it have
    await until(page, (wanted) => window.innerWidth === wanted &&
      document.body.style.getPropertyValue('--bottom-rows') === `${document.getElementById('bottom').offsetHeight}px`, 'the legend', width);
    await checkFits(page, Math.min(width, height) < 500);
  }
  await page.waitForTimeout(100);
  await waitStill(page);
  assert.ok(await page.evaluate(() => window.souple.centre(0)), 'the body is out of sight');
});

check('look: a finger grabs', async (stage) => {
  const server = await stage.serve('beam');
  const page = await stage.open(server, {width: 390, height: 844, hasTouch: true, isMobile: true});
  await waitSteps(page, 30);
  const centre = await page.evaluate(() => window.souple.centre(0));
  const client = await page.context().newCDPSession(page);
  const touch = (type, points) => client.send('Input.dispatchTouchEvent', {type, touchPoints: points});
  const [x, y] = centre.screen;
  await touch('touchStart', [{x, y}]);
  for (let i = 1; i <= 6; ++i) {
    await touch('touchMove', [{x, y: y - 10 * i}]);
    await page.waitForTimeout(30);
  }
  await until(page, () => window.souple.state().grab, 'the grab');
  await touch('touchEnd', []);
  await until(page, () => !window.souple.state().grab, 'the finger to let go');
  await setPaused(page, true);
});
