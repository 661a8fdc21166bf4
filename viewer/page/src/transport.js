// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Pause, single step, start again, slow motion: the bar below a live scene.

import {h} from './dom.js';
import {icon} from './icons.js';
import {iconButton} from './toolbar.js';

export function createTransport(app, rewind) {
  let paused = false;
  const reset = iconButton('reset', 'reset', 'Start again (r)', () => app.act({type: 'restore', name: 'start'}));
  const pause = iconButton('pause', 'pause', 'Pause (space)', () => {
    if (!app.command({do: paused ? 'run' : 'pause'})) return;
    show(!paused);
    if (!paused) app.rewinding = false;
  }, {'aria-pressed': 'false'});
  const step = iconButton('step', 'step', 'One step (.)', () => {
    if (!paused && app.command({do: 'pause'})) show(true);
    app.command({do: 'step'});
  });
  const time = h('output', {id: 'time', class: 'clock', 'aria-label': 'Time of the scene'}, '0.00 s');
  const speed = h('input', {id: 'speed', type: 'range', min: -2, max: 1, step: 0.1, value: 0, 'aria-label': 'Speed',
                            title: 'Simulated seconds in a second'});
  const speedValue = h('output', {id: 'speed-value', for: 'speed'}, '1×');

  function show(now) {
    paused = now;
    pause.replaceChildren(icon(paused ? 'play' : 'pause'));
    pause.setAttribute('aria-pressed', String(paused));
    pause.title = paused ? 'Run (space)' : 'Pause (space)';
    pause.setAttribute('aria-label', pause.title);
    app.paused = paused;
  }

  function showSpeed(value) {
    speedValue.textContent = `${value >= 0.1 ? Number(value.toPrecision(2)) : value.toPrecision(1)}×`;
    app.speed = value;
  }

  speed.addEventListener('input', () => {
    const value = Number((10 ** Number(speed.value)).toPrecision(2));
    showSpeed(value);
    app.command({do: 'speed', value});
  });
  speed.addEventListener('dblclick', () => {
    speed.value = 0;
    speed.dispatchEvent(new Event('input'));
  });

  app.on('stats', (stats) => {
    if (stats.paused !== paused) show(stats.paused);
    if (document.activeElement !== speed && typeof stats.speed === 'number') {
      speed.value = Math.log10(stats.speed);
      showSpeed(stats.speed);
    }
  });
  app.on('shown', (frame) => (time.textContent = `${frame.time.toFixed(2)} s`));
  app.on('scene', () => show(paused));
  app.paused = false;
  app.speed = 1;
  return h('div', {id: 'transport', class: 'float bar', role: 'group', 'aria-label': 'Time'},
    reset, pause, step, rewind, time, h('span', {class: 'speed'}, speed, speedValue));
}
