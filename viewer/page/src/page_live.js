// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The page of a live world: what is around the 3D view, and what is said to the engine on its behalf.

import {h} from './dom.js';
import {withUnit} from './format.js';
import {createDrop} from './drop.js';
import {createTabs} from './panel.js';
import {meanEdge} from './patch.js';
import {createProbe} from './probe.js';
import {createRewind} from './rewind.js';
import {createReportButton} from './save_report.js';
import {createScenes} from './scenes.js';
import {createFacts, createSource} from './sections.js';
import {createLiveSeries} from './series.js';
import {createSceneCopy, createSettings} from './settings.js';
import {createStates} from './states.js';
import {createHandSettings, createModes, iconButton} from './toolbar.js';
import {createTransport} from './transport.js';
import {createViewSettings} from './view_settings.js';
import {icon} from './icons.js';

export function buildLive(app, panel, stage, bottom, plots, view3d) {
  const openScenes = createScenes(app, createDrop(app));
  const name = h('span', {id: 'scene-name'}, 'Souple');
  const status = h('span', {id: 'status', class: 'quiet'});
  const head = h('div', {id: 'head', class: 'float'},
    h('button', {id: 'scenes', type: 'button', class: 'scene-button', title: 'Other scenes', onclick: openScenes}, icon('list'), name),
    status);
  const tools = h('div', {id: 'tools', class: 'float bar'},
    iconButton('fit', 'fit', 'Whole scene in view (f)', () => view3d?.fit()),
    iconButton('theme', 'theme', 'Dark or light (d)', () => app.toggleTheme()),
    iconButton('help', 'help', 'Keys (?)', () => app.openHelp()),
    iconButton('panel-toggle', 'panel', 'Panel (b)', () => app.togglePanel(), {'aria-expanded': 'true', 'aria-controls': 'panel'}));
  stage.append(head, tools, createModes(app), createProbe(app, plots));
  bottom.children[0].after(createTransport(app, createRewind(app, view3d)));

  const description = h('p', {id: 'description'});
  const warnings = h('ul', {id: 'warnings', class: 'warnings', hidden: true});
  const chosen = h('ul', {id: 'chosen', class: 'chosen', hidden: true});
  const sceneFacts = h('div', {});
  const leave = h('button', {id: 'leave', type: 'button', hidden: true, onclick: () => app.send({do: 'leave'})}, 'Give the hand away');
  panel.append(...createTabs([
    ['settings', 'Settings', createSettings(app), createHandSettings(app), createStates(app)],
    ['plots', 'Plots', plots.pane],
    ['view', 'View', createViewSettings(app, view3d, createReportButton(app, view3d, plots))],
    ['scene', 'Scene', description, warnings, chosen, createSceneCopy(app), sceneFacts, leave],
  ]));

  app.on('scene', (scene) => {
    name.textContent = scene.name;
    description.textContent = scene.description ?? '';
    list(warnings, scene.warnings ?? []);
    for (const text of scene.warnings ?? []) app.notify('warning', text);
    list(chosen, scene.bodies.map((body) => choiceWords(body.name, body.chosen)));
    plots.setSeries(createLiveSeries(scene.measurements ?? []));
    sceneFacts.replaceChildren(
      createFacts([
        ...scene.bodies.map((body) => [body.name, bodyWords(body)]),
        ['time step', withUnit(scene.dt, 's')],
        ...(scene.recording ? [['recording', scene.recording]] : []),
        ...app.facts,
      ]),
      createSource(scene.text));
    app.emit('colour');
  });

  setHandDefaults(app, view3d);

  // What the engine computes for this page
  const show = () => {
    app.send({do: 'show', colour: app.colour, nodes: app.draw === 'tets', contacts: app.arrows === true});
    view3d?.redraw();
  };
  app.on('colour', show);
  app.on('draw', show);
  app.on('arrows', show);
  app.on('range', () => {
    if (app.frame) view3d.show(app.frame);
  });
  app.on('shown', (frame) => app.send({do: 'seen', frame: frame === app.past ? app.received : frame.number}));

  app.on('stats', (stats) => {
    plots.push(stats, view3d?.framesPerSecond() ?? 0);
    const flags = stats.flags?.length ? ` · ${stats.flags.join(', ')}` : '';
    const pictures = view3d?.framesPerSecond() ?? 0;
    const rates = `${(stats.ratio ?? 0).toFixed(2)}× real time · ${pictures} picture${pictures === 1 ? '' : 's'}/s`;
    const inverted = stats.inverted > 0 ? ` · ${stats.inverted} tet${stats.inverted === 1 ? '' : 's'} inside out` : '';
    status.textContent = (stats.paused ? 'paused' : rates) + flags + inverted;
    status.classList.toggle('trouble', flags + inverted !== '');
    if (app.scene) list(chosen, app.scene.bodies.map((body, i) => choiceWords(body.name, stats.chosen?.[i])));
  });
  app.on('hand', () => (leave.hidden = app.hand.client !== app.client || app.hand.clients < 2));
}

// One line for each text there is; what stands there already is left alone
function list(element, texts) {
  const lines = texts.filter(Boolean);
  element.hidden = lines.length === 0;
  if ([...element.children].map((child) => child.textContent).join('\n') === lines.join('\n')) return;
  element.replaceChildren(...lines.map((text) => h('li', {}, text)));
}

function choiceWords(name, chosen) {
  return chosen ? `${name} is moved by ${chosen.method}, chosen automatically: ${chosen.reason}.` : null;
}

function bodyWords(body) {
  const parts = [[body.nodes, 'nodes'], [body.tets, 'tets'], [body.triangles, 'triangles'], [body.elements, 'elements']];
  const method = typeof body.method === 'string' ? body.method : body.method?.type;
  return [...parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`), method].filter(Boolean).join(', ');
}

// At the first picture of a scene: a pull of a few per cent of the scene's size is about a body's weight, and the tool is a
// part of the scene.
function setHandDefaults(app, view3d) {
  let done = null;
  app.on('shown', () => {
    if (app.scene.name === done) return;
    done = app.scene.name;
    const {radius} = view3d.bounds();
    app.setToolRadius(0.12 * radius);
    app.setGrabRadius(Math.max(0.15 * radius, ...view3d.bodies.visible().map((view) => 1.6 * meanEdge(view.positions, view.topology.triangles))));
    const masses = app.scene.bodies.map((body) => body.mass).filter((mass) => mass > 0);
    if (masses.length > 0) app.setGrabStiffness((9.81 * Math.max(...masses)) / (0.1 * radius));
  });
}
