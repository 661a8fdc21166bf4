// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The last minute of a live scene, to look at again: frames that were drawn are kept, and a slider shows them while the
// scene is paused. The world stays where it is.

import {h} from './dom.js';

const longest = 60_000; // ms
const mostBytes = 96e6;

const sizeOf = (frame) => frame.bodies.reduce((sum, part) => sum + 7 * part.count, 200);

export function createRewind(app, view3d) {
  const kept = []; // {frame, at in ms, size}
  let bytes = 0;
  app.rewinding = false;
  const slider = h('input', {id: 'rewind', type: 'range', min: 0, max: 0, step: 1, value: 0, 'aria-label': 'Look back at the last minute',
                             title: 'Look back at the last minute'});

  function leave() {
    app.rewinding = false;
    slider.value = slider.max;
  }

  slider.addEventListener('input', () => {
    const index = Number(slider.value);
    if (!app.paused && index < kept.length - 1) document.getElementById('pause').click();
    app.rewinding = index < kept.length - 1;
    if (!kept[index] || !view3d) return;
    app.past = kept[index].frame; // may take the place of one that was about to be drawn
    view3d.show(app.past);
  });

  app.on('shown', (frame) => {
    if (app.rewinding || kept.at(-1)?.frame === frame) return;
    const now = performance.now();
    if (frame.time < (kept.at(-1)?.frame.time ?? 0)) kept.length = bytes = 0; // the scene has started again
    kept.push({frame, at: now, size: sizeOf(frame)});
    bytes += kept.at(-1).size;
    while (kept[0].at < now - longest || (bytes > mostBytes && kept.length > 1)) bytes -= kept.shift().size;
    slider.max = slider.value = kept.length - 1;
  });
  app.on('scene', () => {
    kept.length = bytes = 0;
    leave();
  });
  app.on('stats', (stats) => {
    if (!stats.paused && app.rewinding && app.paused === false) leave();
  });
  app.keptFrames = () => kept.map(({frame}) => frame);
  app.on('held', leave);
  return slider;
}
