// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the page says by itself: messages of the engine, the veil over a lost connection, the banner about the hand.

import {h} from './dom.js';

const stay = {info: 4000, warning: 9000, error: 15000}; // ms

export function createNotices(app) {
  const box = h('div', {id: 'notices', role: 'status', 'aria-live': 'polite'});
  app.on('notice', ({level, text}) => {
    const twin = [...box.children].find((child) => child.firstChild.textContent === text);
    twin?.remove(); // said again: once is enough
    const note = h('div', {class: `notice ${level}`}, h('span', {}, text),
      h('button', {class: 'plain small', 'aria-label': 'Close', onclick: () => note.remove()}, '✕'));
    box.append(note);
    while (box.children.length > 4) box.firstChild.remove();
    setTimeout(() => note.remove(), stay[level] ?? stay.info);
  });
  return box;
}

export function createVeil(app) {
  const text = h('p', {id: 'veil-text', role: 'status'}, 'Loading…');
  const veil = h('div', {id: 'veil', class: 'loading'}, h('div', {class: 'veil-box'}, h('div', {class: 'spinner'}), text));
  const words = {loading: 'Loading…', lost: 'Connection lost – reconnecting…'};
  app.on('status', (status, detail) => {
    veil.className = status;
    veil.hidden = status === 'ready';
    text.textContent = detail || words[status] || '';
  });
  return veil;
}

export function createHandBanner(app) {
  const take = h('button', {id: 'take', type: 'button', onclick: () => app.send({do: 'take'})}, 'Take the hand');
  const banner = h('div', {id: 'hand-banner', class: 'float', hidden: true, role: 'status'},
    h('span', {}, 'Someone else holds the hand: watch, or take it.'), take);
  app.on('hand', () => (banner.hidden = app.hand.client === null || app.hand.client === app.client));
  app.on('refused', () => {
    if (banner.hidden) return;
    banner.classList.remove('flash');
    void banner.offsetWidth; // the animation starts anew
    banner.classList.add('flash');
  });
  return banner;
}
