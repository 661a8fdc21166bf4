// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What one node feels: a label at the pointer, and after a click plots of it. The engine is asked while someone looks.

import {h} from './dom.js';
import {withUnit} from './format.js';

const pause = 100; // ms between two questions

export function createProbe(app, plots) {
  const label = h('div', {id: 'probe', class: 'float', hidden: true, role: 'status'});
  let hovered = null;
  let asked = 0;

  const same = (a, b) => a && b && a.body === b.body && a.node === b.node;

  function ask(target, now) {
    if (!target || now - asked < pause || app.held) return;
    asked = now;
    app.send({do: 'probe', body: target.body, node: target.node});
  }

  app.on('hover', (target) => {
    if (!same(target, hovered)) label.hidden = true;
    hovered = target;
    if (!target) return;
    label.style.left = `${target.x + 16}px`;
    label.style.top = `${target.y + 16}px`;
    ask(target, performance.now());
  });
  app.on('held', () => (label.hidden = true));
  app.on('stats', () => {
    asked = 0;
    if (app.probe) app.send({do: 'probe', body: app.probe.body, node: app.probe.node});
    else ask(hovered, performance.now());
  });
  app.on('probe', (target) => {
    app.probe = target;
    plots.probe(`${app.scene.bodies[target.body]?.name} node ${target.node}`);
    app.notify('info', 'This node is plotted now: see Plots.');
  });
  app.on('scene', () => {
    app.probe = null;
    hovered = null;
    label.hidden = true;
  });
  app.on('probed', (message) => {
    if (same(message, app.probe)) app.probeValues = message;
    if (!same(message, hovered) || app.held) return;
    const rows = [['stress', 'Pa'], ['strain', ''], ['displacement', 'm'], ['velocity', 'm/s'], ['pressure', 'Pa']]
      .filter(([name]) => message[name] !== null).map(([name, unit]) => `${name} ${withUnit(message[name], unit)}`);
    label.replaceChildren(h('strong', {}, `node ${message.node}`), ...rows.map((row) => h('div', {}, row)));
    label.hidden = false;
  });
  return label;
}
