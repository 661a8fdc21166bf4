// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Several pages, servers that go away and come back, clients that are slow

import assert from 'node:assert/strict';

import {check, getState, setPaused, until, waitSteps} from './stage.mjs';

check('clients: a second page watches and takes the hand', async (stage) => {
  const server = await stage.serve('ball');
  const first = await stage.open(server);
  const second = await stage.open(server);
  await setPaused(first, true);
  await until(second, () => window.souple.state().paused, 'the pause in the other page');
  assert.equal((await getState(first)).handMine, true);
  assert.equal((await getState(second)).handMine, false);
  assert.equal((await getState(second)).clients, 2);
  await second.waitForSelector('#hand-banner', {state: 'visible'});

  // A hand that is used is not taken away
  await second.click('#take');
  await until(second, () => window.souple.state().notices.length > 0, 'a refusal');
  assert.equal((await getState(first)).handMine, true);

  // One lets go; whoever acts next has the hand
  await first.click('#tab-scene');
  await first.click('#leave');
  await until(second, () => window.souple.state().handClient === null, 'the hand to be free');
  await second.waitForSelector('#hand-banner', {state: 'hidden'});
  await setPaused(second, false);
  await until(second, () => window.souple.state().handMine, 'the hand');
  await until(first, () => !window.souple.state().paused, 'the first page to see it');
  await first.waitForSelector('#hand-banner', {state: 'visible'});

  // The hand is free when its page has gone
  await second.close();
  stage.pages.pop();
  await until(first, () => window.souple.state().clients === 1 && window.souple.state().handClient === null,
              'the hand to be free');
  await setPaused(first, true);
  await until(first, () => window.souple.state().handMine, 'the hand again');
});

check('clients: the page comes back when the server does', async (stage) => {
  const lost = [/WebSocket connection/, /ERR_CONNECTION_REFUSED/];
  const server = await stage.serve('ball');
  const page = await stage.open(server, {allow: lost});
  await waitSteps(page, 5);
  await server.stop();
  await until(page, () => window.souple.state().status === 'lost', 'the page to notice');
  await page.waitForSelector('#veil', {state: 'visible'});
  assert.match(await page.textContent('#veil-text'), /connect/i);
  await stage.serve('beam', ['--port', String(server.port)]);
  await until(page, () => window.souple.state().status === 'ready' && window.souple.state().scene === 'beam',
              'the page to come back');
  await page.waitForSelector('#veil', {state: 'hidden'});
  await waitSteps(page, 5);
});

check('clients: one that is stuck slows nobody', async (stage) => {
  const server = await stage.serve('beam');
  const stuck = await stage.open(server);
  const page = await stage.open(server);
  await waitSteps(page, 5);
  // A page that computes neither draws nor says that it has seen anything. The other one goes on meanwhile.
  const {frame} = await getState(stuck);
  const {step} = await getState(page);
  let busy = true;
  const computing = stuck.evaluate(() => {
    const end = performance.now() + 8000;
    while (performance.now() < end) {
      // busy
    }
  }).then(() => (busy = false));
  await waitSteps(page, 20);
  assert.ok(busy, `the scene stood still at step ${step} while a page was busy`);
  await computing;
  await until(stuck, (last) => window.souple.state().frame > last + 3, 'the stuck page to go on', frame);
});

check('clients: a token is asked for', async (stage) => {
  const token = 'abcdefgh12345678';
  const server = await stage.serve('ball', ['--token', token]);
  const page = await stage.open(server);
  assert.ok(server.url.includes(token));
  await waitSteps(page, 3);
  const other = await stage.open(server, {ready: false, allow: [/403/, /error\.css/]});
  const without = await other.goto(server.origin);
  assert.equal(without.status(), 403);
});
