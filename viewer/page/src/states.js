// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// States that were kept under a name: save, and come back.

import {h} from './dom.js';

export function createStates(app) {
  const name = h('input', {id: 'state-name', type: 'text', maxlength: 40, placeholder: 'name', 'aria-label': 'Name of the state'});
  const list = h('div', {id: 'state-list', class: 'chips'});
  const form = h('form', {class: 'row wide'}, name, h('button', {id: 'state-save', type: 'submit'}, 'Save state'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const text = name.value.trim() || `state ${list.children.length}`;
    app.act({type: 'save', name: text});
    name.value = '';
  });
  const show = (states) => list.replaceChildren(...(states ?? []).map((state) =>
    h('button', {type: 'button', 'data-state': state, title: `Back to “${state}”`,
                 onclick: () => app.act({type: 'restore', name: state})}, state)));
  app.on('scene', (scene) => show(scene.states));
  app.on('settings', (message) => {
    if (!message.states) return;
    app.scene.states = message.states;
    show(message.states);
  });
  return h('section', {class: 'group'}, h('h3', {}, 'States'), form, list);
}
