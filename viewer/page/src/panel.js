// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The panel at the side (a sheet at the bottom of narrow windows): settings, plots and facts of a live scene in tabs, or
// the document of a report.

import {h} from './dom.js';

export function createTabs(panes) {
  const buttons = [];
  const bodies = [];
  const select = (index, focus = false) => {
    buttons.forEach((button, i) => {
      button.setAttribute('aria-selected', String(i === index));
      button.tabIndex = i === index ? 0 : -1;
      bodies[i].hidden = i !== index;
    });
    if (focus) buttons[index].focus();
  };
  panes.forEach(([name, title, ...content], i) => {
    buttons.push(h('button', {id: `tab-${name}`, type: 'button', role: 'tab', 'aria-controls': `pane-${name}`, onclick: () => select(i)}, title));
    bodies.push(h('div', {id: `pane-${name}`, class: 'pane', role: 'tabpanel', 'aria-labelledby': `tab-${name}`, tabindex: 0}, content));
  });
  const bar = h('div', {class: 'tabs', role: 'tablist', 'aria-label': 'Panel'}, buttons);
  bar.addEventListener('keydown', (event) => {
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    const now = buttons.indexOf(document.activeElement);
    if (by && now >= 0) select((now + by + buttons.length) % buttons.length, true);
  });
  select(0);
  return [bar, ...bodies];
}

export function createPanel(app) {
  const panel = h('aside', {id: 'panel', 'aria-label': 'Panel'});
  app.togglePanel = () => {
    const open = document.body.classList.toggle('closed') === false;
    document.getElementById('panel-toggle')?.setAttribute('aria-expanded', String(open));
  };
  return panel;
}
