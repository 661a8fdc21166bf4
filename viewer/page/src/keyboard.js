// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Keys. They act wherever no field wants them; docs/page.md lists them, and so does the help dialog.

import {h} from './dom.js';

export const keyList = [
  ['Space', 'pause and run; play and stop a report'],
  ['. ,', 'one step; in a report one frame forward, back'],
  ['r', 'start again'],
  ['f', 'whole scene in view'],
  ['1 2 3 4 5 6', 'grab, orbit only, pin, poke, cut, carve'],
  ['n N', 'choose the next, the previous point of a body'],
  ['Enter', 'take the chosen point with the hand, or let go'],
  ['← → ↑ ↓ PgUp PgDn', 'move the hand (finely with Shift); without a chosen point turn the camera'],
  ['p', 'pin or free the chosen point'],
  ['Esc', 'let go, choose nothing'],
  ['w t', 'mesh on the surface, tets'],
  ['c', 'next colour'],
  ['d', 'dark or light'],
  ['b', 'panel open or closed'],
  ['?', 'this list'],
];

const arrows = {
  ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0],
  PageUp: [0, 0, 1], PageDown: [0, 0, -1],
};

export function startKeyboard(app, view3d, hand) {
  const click = (id) => document.getElementById(id)?.click();
  const actions = {
    ' ': () => click(app.source === 'report' ? 'play' : 'pause'),
    '.': () => (app.source === 'report' ? app.player?.go(1) : click('step')),
    ',': () => app.player?.go(-1),
    r: () => (app.source === 'report' ? app.player?.seek(0) : click('reset')),
    f: () => view3d?.fit(),
    1: () => click('mode-grab'),
    2: () => click('mode-orbit'),
    3: () => click('mode-pin'),
    4: () => click('mode-poke'),
    5: () => click('mode-cut'),
    6: () => click('mode-carve'),
    n: () => hand?.selectNext(1),
    N: () => hand?.selectNext(-1),
    Enter: () => hand?.toggleHold(),
    p: () => hand?.pinSelected(),
    Escape: () => hand?.cancel(),
    w: () => app.setDraw?.(app.draw === 'mesh' ? 'surface' : 'mesh'),
    t: () => app.setDraw?.(app.draw === 'tets' ? 'surface' : 'tets'),
    c: () => app.nextColour?.(),
    d: () => app.toggleTheme(),
    b: () => click('panel-toggle'),
    '?': () => click('help'),
  };

  // Fields take letters, buttons take Enter, sliders take arrows; Space belongs to the clock but where words are written.
  function wanted(target, key) {
    if (!(target instanceof HTMLElement) || target.id === 'view' || target === document.body) return false;
    if (target.closest('dialog')) return true;
    if (key === ' ' && !target.matches('textarea, input[type=checkbox], input[type=search], input[type=text]:not(.number)')) return false;
    if (target.matches('textarea, select, input:not([type=range]):not([type=checkbox])')) return key !== 'Escape';
    if (target.matches('input[type=range]')) return key in arrows;
    if (target.matches('button, a, summary, input[type=checkbox], [role=tab]')) {
      return key === 'Enter' || key === ' ' || key in arrows;
    }
    return key in arrows && target.closest('#panel') !== null; // scrolls
  }

  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || wanted(event.target, event.key)) return;
    if (event.key in arrows) {
      if (!view3d) return;
      const [x, y, z] = arrows[event.key];
      if (hand && (app.selected || app.held)) hand.nudge(x, y, z, event.shiftKey);
      else if (z === 0) view3d.turn(-0.08 * x, -0.06 * y);
      else return;
      event.preventDefault();
      return;
    }
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    if (event.repeat && !'.,nN'.includes(event.key)) return;
    action();
  });
}

export function createHelp(app) {
  const rows = keyList.map(([keys, what]) =>
    h('tr', {}, h('th', {scope: 'row'}, keys.split(' ').map((key) => h('kbd', {}, key))), h('td', {}, what)));
  const about = h('p', {class: 'quiet'});
  const dialog = h('dialog', {id: 'help-dialog', 'aria-labelledby': 'help-heading'},
    h('form', {method: 'dialog', class: 'dialog-head'}, h('h2', {id: 'help-heading'}, 'Keys'),
      h('button', {class: 'plain', 'aria-label': 'Close'}, '✕')),
    h('table', {class: 'keys'}, h('tbody', {}, rows)), about);
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  return () => {
    about.textContent = app.version ? `Souple ${app.version}` : '';
    dialog.showModal();
  };
}
