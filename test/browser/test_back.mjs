// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Ways to look and to go back: clip plane, opacity, cameras, the last minute, values as they were, the scene as it is now

import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';

import {check, findVertex, getState, getVertex, run, scenes, setPaused, shoot, until, waitSteps, waitStill} from './stage.mjs';

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

// Files fall onto the page as from the desktop's folder
function drop(page, files) {
  return page.evaluate((list) => {
    const transfer = new DataTransfer();
    for (const [name, text] of list) transfer.items.add(new File([text], name));
    for (const type of ['dragover', 'drop']) {
      document.body.dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: transfer}));
    }
  }, files);
}

check('back: a mesh and a scene that fall onto the page run there', async (stage) => {
  const server = await stage.serve('ball');
  const page = await stage.open(server);
  // A tetrahedron, so small that it must be in other units: its surface is filled, and it falls
  const surface = 'v 0 0 0\nv 0.01 0 0\nv 0 0.01 0\nv 0 0 0.01\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n';
  await drop(page, [['tiny one.obj', surface]]);
  await until(page, () => window.souple.state().scene === 'tiny_one', 'the scene of the mesh');
  await until(page, () => window.souple.state().bodies[0].nodes > 4 && window.souple.state().time > 0.2, 'a body that runs');
  const top = await getVertex(page, 0, await findVertex(page, 0, [0, 1, 0]));
  assert.ok(top[1] > 0.3 && top[1] < 1, `its top is at ${top[1]} m`);

  // A scene with its mesh
  const scene = {souple: 1, bodies: [{name: 'own', mesh: {fill: 'own.obj'}, transform: {scale: 20}, material: 'liver'}]};
  await drop(page, [['my scene.json', JSON.stringify(scene)], ['own.obj', surface]]);
  await until(page, () => window.souple.state().scene === 'my_scene' && window.souple.state().bodies[0].name === 'own', 'the scene');

  // What names files of this machine, and what is no scene, is refused, and the scene goes on
  scene.bodies[0].mesh.fill = '/etc/passwd';
  for (const [text, words] of [[JSON.stringify(scene), /etc\/passwd/], ['{"souple": 1, "bodys": []}', /bodys/]]) {
    await drop(page, [['bad.json', text]]);
    await until(page, (pattern) => window.souple.state().notices.some((notice) => new RegExp(pattern).test(notice)), 'a sentence', words.source);
  }
  assert.equal((await getState(page)).scene, 'my_scene');
});

check('back: the gallery shows pictures of scenes', async (stage) => {
  const server = await stage.serve(join(scenes, '../../../scenes/first/cube_on_sphere.json'), ['--paused']);
  const page = await stage.open(server);
  await page.click('#scenes');
  const sizes = await page.$$eval('#scene-list img', (images) => images.map((image) => image.naturalWidth));
  assert.ok(sizes.length >= 6 && sizes.every((width) => width === 192), JSON.stringify(sizes));
  await page.fill('#scene-search', 'wind');
  assert.equal(await page.locator('#scene-list button:visible').count(), 1);
});
