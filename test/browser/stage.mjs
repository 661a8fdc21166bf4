// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What a test needs: a server, pages on it, and an eye on what must not happen there. Everything that a stage started
// ends with it; a test that fails leaves pictures of its pages and the words of its servers in the folder of results.

import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {chromium} from 'playwright-core';

export const here = dirname(fileURLToPath(import.meta.url));
export const scenes = join(here, 'scenes');

// Where things are; main.mjs sets it before any test runs
export const settings = {command: '', chromium: '', results: '', only: ''};

// Generous: a machine with two processors draws with one of them and steps with the other
export const PATIENCE = 30_000;

const BROWSER_FLAGS = [
  '--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist',
  '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-quic', '--no-first-run',
];

let browser = null;

export async function launchBrowser() {
  browser = await chromium.launch({executablePath: settings.chromium, args: BROWSER_FLAGS, timeout: 60_000});
}

export async function closeBrowser() {
  await browser?.close();
  browser = null;
}

// Plays a test on a stage of its own, judged for errors of pages at the end
async function play(name, body) {
  const stage = new Stage(name);
  try {
    await body(stage);
    stage.judge();
  } catch (error) {
    await stage.keepEvidence();
    throw error;
  } finally {
    await stage.close();
  }
}

// One test. A browser without a graphics card on a machine that others use may miss a moment: what fails is tried
// once more, and told; what is broken fails twice.
export function check(name, body) {
  if (settings.only && !name.includes(settings.only)) {
    return;
  }
  test(name, {timeout: 6 * PATIENCE}, async () => {
    try {
      await play(name, body);
    } catch (error) {
      console.log(`tried again: "${name}" failed with: ${error.message}`);
      await play(name, body);
    }
  });
}

// Runs a command to its end
export function run(args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(settings.command, args, {stdio: ['ignore', 'pipe', 'pipe'], ...options});
    let words = '';
    child.stdout.on('data', (data) => (words += data));
    child.stderr.on('data', (data) => (words += data));
    child.on('error', reject);
    child.on('close', (code) => resolve({code, words}));
  });
}

class Server {
  constructor(child, url) {
    this.child = child;
    this.url = url;
    this.origin = new URL(url).origin;
    this.port = Number(new URL(url).port);
    this.words = '';
  }

  // As Ctrl-C does. Resolves to the exit code.
  async stop(signal = 'SIGINT') {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const gone = new Promise((resolve) => this.child.once('close', resolve));
      this.child.kill(signal);
      const hard = setTimeout(() => this.child.kill('SIGKILL'), 5000);
      await gone;
      clearTimeout(hard);
    }
    return this.child.exitCode;
  }
}

class Stage {
  constructor(name) {
    this.name = name;
    this.folder = mkdtempSync(join(tmpdir(), 'souple-browser-'));
    this.servers = [];
    this.contexts = [];
    this.pages = [];
    this.complaints = []; // what pages said or asked for and should not have
  }

  // souple view with a scene of ours (or the path of a file) on a port that is free
  async serve(scene, args = []) {
    const path = scene.includes('/') ? scene : join(scenes, `${scene}.json`);
    const port = args.includes('--port') ? [] : ['--port', '0'];
    const record = args.includes('--record') ? [] : ['--no-record'];
    const child = spawn(settings.command, ['view', path, '--no-open', ...port, ...record, ...args],
                        {stdio: ['ignore', 'pipe', 'pipe'], cwd: this.folder});
    let words = '';
    const url = await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`souple view says no address:\n${words}`)), PATIENCE);
      const listen = (data) => {
        words += data;
        const match = words.match(/http:\/\/\S+(?=\s)/);
        if (match) {
          clearTimeout(timer);
          resolve(match[0]);
        }
      };
      child.stdout.on('data', listen);
      child.stderr.on('data', listen);
      child.on('error', reject);
      child.on('close', (code) => reject(new Error(`souple view ended (${code}):\n${words}`)));
    });
    const server = new Server(child, url);
    server.words = words;
    child.stdout.on('data', (data) => (server.words += data));
    child.stderr.on('data', (data) => (server.words += data));
    this.servers.push(server);
    return server;
  }

  // A page in a browser profile of its own. `ready`: wait for the first picture.
  async open(target, {ready = true, width = 960, height = 600, allow = [], ...context} = {}) {
    const url = typeof target === 'string' ? target : target.url;
    const own = await browser.newContext({viewport: {width, height}, acceptDownloads: true, ...context});
    this.contexts.push(own);
    const page = await own.newPage();
    page.setDefaultTimeout(PATIENCE);
    this.pages.push(page);
    const complain = (text) => {
      if (!allow.some((pattern) => pattern.test(text))) {
        this.complaints.push(text);
      }
    };
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') {
        complain(`console ${message.type()}: ${message.text()}`);
      }
    });
    page.on('pageerror', (error) => complain(`exception: ${error.stack || error.message}`));
    const isOurs = (address) => {
      const parsed = new URL(address);
      return ['data:', 'blob:'].includes(parsed.protocol) ||
             (url.startsWith('file:') ? address.split('#')[0] === url.split('#')[0] : parsed.host === new URL(url).host);
    };
    page.on('request', (request) => isOurs(request.url()) || complain(`request to ${request.url()}`));
    page.on('websocket', (socket) => isOurs(socket.url()) || complain(`connection to ${socket.url()}`));
    await page.goto(url, {waitUntil: 'load'});
    if (ready) {
      await until(page, () => {
        const state = window.souple?.state();
        return state?.status === 'ready' && state.drawn > 0 && state.frame !== null &&
               state.bodies.length > 0 && state.bodies.every((body) => body.vertices > 0);
      }, 'a picture');
    }
    return page;
  }

  judge() {
    assert.deepEqual(this.complaints, []);
  }

  async keepEvidence() {
    const folder = join(settings.results, this.name.replaceAll(/[^a-z0-9]+/gi, '_'));
    rmSync(folder, {recursive: true, force: true});
    mkdirSync(folder, {recursive: true});
    const words = [...this.complaints];
    for (const [index, page] of this.pages.entries()) {
      const state = await page.evaluate(() => JSON.stringify(window.souple?.state(), null, 1)).catch(() => 'no state');
      words.push(`page ${index}: ${state}`);
      await page.screenshot({path: join(folder, `page_${index}.png`), timeout: 5000}).catch(() => {});
    }
    for (const server of this.servers) {
      words.push(`server ${server.url}:\n${server.words}`);
    }
    writeFileSync(join(folder, 'words.txt'), words.join('\n\n') + '\n');
    console.error(`evidence of "${this.name}" is in ${folder}`);
  }

  async close() {
    await Promise.all(this.contexts.map((context) => context.close().catch(() => {})));
    await Promise.all(this.servers.map((server) => server.stop()));
    rmSync(this.folder, {recursive: true, force: true});
  }
}

// Waits until a function in the page is true; `what` names it in the message
export async function until(page, condition, what, argument = undefined, timeout = PATIENCE) {
  try {
    await page.waitForFunction(condition, argument, {polling: 50, timeout});
  } catch (error) {
    throw new Error(`waited in vain for ${what}: ${error.message.split('\n')[0]}`);
  }
}

export function getState(page) {
  return page.evaluate(() => window.souple.state());
}

// Position of a vertex, m
export async function getVertex(page, body, vertex) {
  return (await page.evaluate(([b, v]) => window.souple.vertex(b, v), [body, vertex])).world;
}

// The vertex that lies farthest in a direction
export function findVertex(page, body, direction) {
  return page.evaluate(([b, d]) => {
    let best = -1;
    let most = -Infinity;
    for (let i = 0; i < window.souple.state().bodies[b].vertices; ++i) {
      const p = window.souple.vertex(b, i).world;
      const value = p[0] * d[0] + p[1] * d[1] + p[2] * d[2];
      if (value > most) {
        most = value;
        best = i;
      }
    }
    return best;
  }, [body, direction]);
}

// Waits for pictures of steps after this one
export async function waitSteps(page, count) {
  const {step} = await getState(page);
  await until(page, (goal) => window.souple.state().step >= goal, `${count} steps`, step + count);
}

// Waits until nothing new has been drawn for a while: what stands still is drawn once more, better
export async function waitStill(page) {
  await until(page, () => {
    const {drawn, still} = window.souple.state();
    const now = performance.now();
    if (window.lastDrawn !== drawn) {
      window.lastDrawn = drawn;
      window.lastDrawnAt = now;
    }
    return still && now - window.lastDrawnAt > 700;
  }, 'the picture to stand still');
}

export async function setPaused(page, paused) {
  if ((await getState(page)).paused !== paused) {
    await page.click('#pause');
  }
  await until(page, (wanted) => window.souple.state().paused === wanted, paused ? 'the pause' : 'the end of the pause', paused);
  if (paused) {
    await waitStill(page);
  }
}

// Puts a number into a field as a user does
export async function enter(page, selector, value) {
  await page.fill(selector, String(value));
  await page.press(selector, 'Enter');
}

export function shoot(page) {
  return page.locator('#view').screenshot({timeout: PATIENCE});
}
