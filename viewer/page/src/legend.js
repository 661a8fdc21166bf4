// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The legend of the colours: what they mean, its unit, round ticks, and whether the range is fixed.

import {h} from './dom.js';
import {colourTitles, colourUnits, gradient} from './colormap.js';
import {fieldNumber, roundTicks, shortNumber} from './format.js';

const scales = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ']];

function scaleFor(top, unit) {
  if (!unit) return [1, ''];
  return scales.find(([size]) => top >= size) ?? scales.at(-1);
}

export function createLegend(app) {
  const title = h('div', {id: 'legend-title'});
  const bar = h('div', {class: 'legend-bar', style: `background: ${gradient()}`});
  const ticks = h('div', {id: 'legend-ticks'});
  const fixed = h('input', {id: 'range-fixed', type: 'checkbox'});
  const top = h('input', {id: 'range-top', type: 'text', inputmode: 'decimal', class: 'number', 'aria-label': 'Value of the last colour'});
  const unitText = h('span', {class: 'unit'});
  const none = h('p', {id: 'legend-none'}, 'These bodies have none.');
  const legend = h('div', {id: 'legend', class: 'float', hidden: true, role: 'group', 'aria-label': 'Legend of colours'},
    title, none, bar, ticks, h('div', {class: 'range'}, h('label', {}, fixed, 'fixed to'), top, unitText));
  let shown = '';
  let size = 1; // of the unit that title, ticks and field have
  const range = legend.lastChild;

  function setFixed() {
    const value = Number.parseFloat(top.value);
    app.fixedTop = fixed.checked && value > 0 && Number.isFinite(value) ? value * size : 0;
    shown = ''; // what was refused goes back
    app.emit('range');
  }
  fixed.addEventListener('change', setFixed);
  top.addEventListener('change', () => {
    fixed.checked = true;
    setFixed();
  });

  app.on('shown', () => {
    const colour = app.shownColour;
    legend.hidden = !colour || colour === 'none';
    if (legend.hidden) return;
    const key = `${colour} ${app.top} ${app.fixedTop} ${app.colourThere}`;
    if (key === shown) return;
    shown = key;
    const unit = colourUnits[colour];
    const [scale, letter] = scaleFor(app.top, unit);
    size = scale;
    title.textContent = unit ? `${colourTitles[colour]}, ${letter}${unit}` : colourTitles[colour];
    none.hidden = app.colourThere;
    for (const part of [bar, ticks, range]) part.hidden = !app.colourThere;
    unitText.textContent = letter + unit;
    fixed.checked = app.fixedTop > 0;
    if (document.activeElement !== top) top.value = fieldNumber(Number((app.top / size).toPrecision(3)));
    ticks.replaceChildren(...roundTicks(app.top, 4).map((value) =>
      h('span', {style: `left: ${((100 * value) / app.top).toFixed(2)}%`}, shortNumber(value / size))));
  });
  return legend;
}
