// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The list of scenes, with a search field.

import {h} from './dom.js';

export function createScenes(app, openFile) {
  const search = h('input', {id: 'scene-search', type: 'search', placeholder: 'search', 'aria-label': 'Search scenes'});
  const list = h('div', {id: 'scene-list', class: 'scene-list'});
  const dialog = h('dialog', {id: 'scene-dialog', 'aria-labelledby': 'scenes-heading'},
    h('form', {method: 'dialog', class: 'dialog-head'}, h('h2', {id: 'scenes-heading'}, 'Scenes'),
      h('button', {class: 'plain', 'aria-label': 'Close'}, '✕')),
    h('div', {class: 'scene-search-row'}, search,
      h('button', {type: 'button', title: 'Or drop it on the page', onclick: () => {
        dialog.close();
        openFile();
      }}, 'Open a file')), list);
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const item of list.children) {
      const text = item.textContent.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
    }
  }
  search.addEventListener('input', filter);
  search.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    [...list.children].find((item) => !item.hidden)?.click();
  });

  document.body.append(dialog);
  return () => {
    list.replaceChildren(...app.scenes.map((scene, index) =>
      h('button', {type: 'button', 'data-scene': index, 'aria-current': index === app.scene?.index ? 'true' : null,
                   onclick: () => {
                     dialog.close();
                     app.command({do: 'scene', index});
                   }},
        scene.picture ? h('img', {src: `data:image/png;base64,${scene.picture}`, alt: '', width: 192, height: 110}) : h('div', {class: 'no-picture'}),
        h('div', {}, h('strong', {}, scene.name ?? `scene ${index}`), h('span', {}, scene.description ?? '')))));
    search.value = '';
    filter();
    dialog.showModal();
    search.focus();
  };
}
