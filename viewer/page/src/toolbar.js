// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The tools at the edges of the 3D view: modes of the hand, what is drawn, theme, help.

import {h} from './dom.js';
import {colourTitles} from './colormap.js';
import {fieldNumber} from './format.js';
import {icon} from './icons.js';

const modes = [
  ['grab', 'Grab bodies, turn the camera elsewhere (1)'], ['orbit', 'Turn the camera only (2)'],
  ['pin', 'Pin and free points (3)'], ['poke', 'Poke with a sphere (4)'],
  ['cut', 'Cut with a blade along the view (5)'], ['carve', 'Carve with a sphere (6)'],
];

export function iconButton(id, name, label, onclick, extra = {}) {
  return h('button', {id, 'data-testid': id, class: 'tool', type: 'button', 'aria-label': label, title: label, onclick,
                      ...extra}, icon(name));
}

export function createModes(app) {
  const buttons = modes.map(([mode, label]) => iconButton(`mode-${mode}`, mode, label, () => app.setMode(mode)));
  const show = () => buttons.forEach((button, i) => button.setAttribute('aria-pressed', app.mode === modes[i][0]));
  app.setMode = (mode) => {
    app.mode = mode;
    show();
    app.emit('mode');
  };
  show();
  return h('div', {id: 'modes', class: 'float bar upright', role: 'group', 'aria-label': 'What the hand does'}, buttons);
}

// A slider over a decimal logarithm with a number field beside it.
export function logSlider({id, label, unit, min, max, value, oninput}) {
  const slider = h('input', {id, type: 'range', min: Math.log10(min), max: Math.log10(max), step: 'any', 'aria-label': label});
  const number = h('input', {id: `${id}-number`, type: 'text', inputmode: 'decimal', class: 'number',
                             'aria-label': `${label}, number`});
  const set = (x) => {
    slider.value = Math.log10(x);
    number.value = fieldNumber(x);
  };
  slider.addEventListener('input', () => {
    const x = Number((10 ** Number(slider.value)).toPrecision(3));
    number.value = fieldNumber(x);
    oninput(x);
  });
  number.addEventListener('change', () => {
    const x = Number.parseFloat(number.value);
    if (x > 0 && Number.isFinite(x)) oninput(x);
    set(x > 0 && Number.isFinite(x) ? x : 10 ** Number(slider.value));
  });
  set(value);
  return {row: h('div', {class: 'row'}, h('label', {for: id}, label), slider, number, h('span', {class: 'unit'}, unit)), set};
}

export function createHandSettings(app) {
  const grab = logSlider({
    id: 'grab-stiffness', label: 'Grab stiffness', unit: 'N/m', min: 0.1, max: 1e6, value: app.grabStiffness,
    oninput: (x) => (app.grabStiffness = x),
  });
  const tool = logSlider({
    id: 'tool-radius', label: 'Tool radius', unit: 'm', min: 1e-3, max: 10, value: app.toolRadius,
    oninput: (x) => app.setToolRadius(x),
  });
  const patch = logSlider({
    id: 'grab-radius', label: 'Grab radius', unit: 'm', min: 1e-4, max: 10, value: app.grabRadius,
    oninput: (x) => (app.grabRadius = x),
  });
  app.setGrabRadius = (x) => {
    app.grabRadius = Math.min(10, Math.max(1e-4, Number(x.toPrecision(2))));
    patch.set(app.grabRadius);
  };
  app.setToolRadius = (x) => {
    app.toolRadius = Math.min(10, Math.max(1e-3, Number(x.toPrecision(3))));
    tool.set(app.toolRadius);
    app.emit('tool');
  };
  app.setGrabStiffness = (x) => {
    app.grabStiffness = Math.min(1e6, Math.max(0.1, Number(x.toPrecision(2))));
    grab.set(app.grabStiffness);
  };
  return h('section', {class: 'group'}, h('h3', {}, 'Hand'), grab.row, patch.row, tool.row);
}

export function createLook(app) {
  const draw = h('select', {id: 'draw', 'aria-label': 'What is drawn'},
    [['surface', 'Surface'], ['mesh', 'Surface and mesh'], ['tets', 'Tets'], ['points', 'Points']]
      .map(([value, label]) => h('option', {value}, label)));
  const colour = h('select', {id: 'colour', 'aria-label': 'Colour by'},
    Object.entries(colourTitles).map(([value, label]) => h('option', {value}, label)));
  const offered = () => [...colour.options].filter((option) => !option.disabled).map((option) => option.value);

  app.setDraw = (value) => {
    if ([...draw.options].find((option) => option.value === value)?.disabled) return;
    draw.value = app.draw = value;
    app.emit('draw');
    app.show?.();
  };
  app.setColour = (value) => {
    colour.value = app.colour = value;
    app.fixedTop = 0;
    app.emit('colour');
    app.show?.();
  };
  app.nextColour = () => {
    const list = offered();
    app.setColour(list[(list.indexOf(app.colour) + 1) % list.length]);
  };
  draw.addEventListener('change', () => app.setDraw(draw.value));
  colour.addEventListener('change', () => app.setColour(colour.value));
  app.on('scene', (scene) => {
    if (app.source !== 'report') return;
    const stored = new Set(Object.keys(scene.colours ?? {}));
    for (const option of colour.options) option.disabled = option.hidden = option.value !== 'none' && !stored.has(option.value);
  });
  app.on('tets', (there) => {
    const option = [...draw.options].find((o) => o.value === 'tets');
    option.disabled = option.hidden = !there;
  });
  return h('div', {id: 'look', class: 'float bar'}, draw, colour);
}
