// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The page: one 3D view, one panel, two sources. A live world sends messages over a WebSocket; a report holds them.

import {createApp} from './app.js';
import {decode} from './decode.js';
import {h} from './dom.js';
import {createHand} from './hand.js';
import {createHooks} from './hooks.js';
import {createHelp, startKeyboard} from './keyboard.js';
import {createLegend} from './legend.js';
import {createHandBanner, createNotices, createVeil} from './notices.js';
import {createPanel} from './panel.js';
import {createPlots} from './plots.js';
import {createScene3d} from './scene3d.js';
import {buildLive} from './page_live.js';
import {buildReport} from './page_report.js';
import {findPack, readReport} from './source_report.js';
import {startLive} from './source_live.js';
import {startTheme} from './theme.js';
import {createLook} from './toolbar.js';

const app = createApp();
const pack = findPack();
app.source = pack ? 'report' : 'live';

startTheme(app);
const canvas = h('canvas', {id: 'view', tabindex: 0, 'aria-label': '3D view of the scene. Press ? for its keys.'});
const stage = h('main', {id: 'stage'}, canvas);
const panel = createPanel(app);
document.body.prepend(stage, panel);
document.body.dataset.source = app.source;

const view3d = createScene3d(app, canvas);
const hand = view3d && createHand(app, view3d);
const plots = createPlots(app);
const bottom = h('div', {id: 'bottom'}, h('div', {class: 'left'}, createLook(app)), h('div', {class: 'right'}));
// Legends stand above what is below, in however many rows
new ResizeObserver(() => document.body.style.setProperty('--bottom-rows', `${bottom.offsetHeight}px`)).observe(bottom);
stage.append(bottom, createLegend(app), createHandBanner(app), createNotices(app), createVeil(app));
if (!view3d) stage.append(h('p', {class: 'no-webgl'}, 'This browser has no WebGL 2, so there is no 3D view. Everything else works.'));
app.openHelp = createHelp(app);
startKeyboard(app, view3d, hand);
createHooks(app, view3d, hand, plots);

// ---- Messages of the engine, whatever their source

const takes = {
  hello(message) {
    app.version = message.version ?? '';
    app.facts = message.facts ?? [];
    app.scenes = message.scenes ?? [];
    app.client = message.client ?? null;
    app.emit('hello', message);
  },
  scene(message) {
    const same = app.scene !== null && app.scene.name === message.name && app.scene.text === message.text;
    message.bodies ??= [];
    app.scene = message;
    app.pins = [];
    app.links = [];
    app.held = null;
    app.selected = null;
    view3d?.setScene(message, same);
    document.title = `${message.name} – Souple`;
    app.emit('scene', message);
    if (app.source === 'live') app.setStatus('ready');
  },
  pins(message) {
    app.pins = (message.bodies ?? []).map((nodes) => new Set(nodes));
    app.links = (message.links ?? []).map((nodes) => new Set(nodes));
    view3d?.redraw();
  },
  stats(message) {
    app.stats = message;
    app.emit('stats', message);
  },
  hand(message) {
    app.hand = {client: message.client ?? null, clients: message.clients ?? 0};
    app.emit('hand', message);
  },
  probe(message) {
    app.emit('probed', message);
  },
  settings(message) {
    app.emit('settings', message);
  },
  notice(message) {
    app.notify(message.level ?? 'info', String(message.text ?? ''));
  },
  sections(message) {
    app.emit('sections', message);
  },
};

function receive(message) {
  if (message.kind === 1) takes[message.text.type]?.(message.text);
  else if (message.kind === 2 && message.serial === app.scene?.serial) {
    view3d?.bodies.addTopology(message);
    app.emit('tets', app.source === 'live' || view3d?.bodies.hasTets());
  } else if (message.kind === 4) app.emit('series', message);
}

function showFrame(bytes) {
  const began = performance.now();
  const frame = decode(bytes);
  if (frame.serial !== app.scene?.serial) return;
  app.received = frame.number;
  app.decodeTime = performance.now() - began;
  if (app.rewinding) app.send({do: 'seen', frame: frame.number});
  else view3d?.show(frame);
}

// ---- Begin

if (pack) {
  const report = buildReport(app, panel, stage, bottom, plots, view3d);
  readReport(pack, receive)
    .then((frames) => report.begin(frames, showFrame))
    .catch((error) => app.setStatus('error', `This report cannot be read: ${error.message}.`));
} else {
  buildLive(app, panel, stage, bottom, plots, view3d);
  if (location.protocol === 'file:') {
    app.setStatus('error', 'This page needs its engine: start it by “souple view”.');
  } else {
    startLive(app, receive, showFrame);
  }
}
