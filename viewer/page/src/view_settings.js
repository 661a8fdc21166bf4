// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// How the 3D view looks at things: from where, cut open by a plane, through transparent bodies, with the trail of a node and
// contact forces; and pictures and films of it.

import {h, save} from './dom.js';
import {looks} from './material.js';

const directions = {front: [0, 0, 1], side: [1, 0, 0], top: [0, 1, 0.001], corner: [0.42, 0.34, 1]};

export function createViewSettings(app, view3d, ...more) {
  const look = {axis: 'none', share: 0.5, opacity: 1, trail: false, arrows: false, made: 'auto'};
  const fileName = (ending) => `${app.scene?.name ?? 'souple'}.${ending}`.replace(/[^\w.-]+/g, '_');

  const cameras = Object.entries(directions).map(([name, direction]) =>
    h('button', {id: `camera-${name}`, type: 'button', onclick: () => view3d?.look(direction)}, name));
  const axis = h('select', {id: 'clip-axis', 'aria-label': 'Clip plane'},
    ['none', 'x', 'y', 'z'].map((value) => h('option', {value}, value)));
  const place = h('input', {id: 'clip-place', type: 'range', min: 0, max: 1, step: 'any', value: 0.5, 'aria-label': 'Place of the clip plane'});
  const opacity = h('input', {id: 'opacity', type: 'range', min: 0.1, max: 1, step: 'any', value: 1, 'aria-label': 'Opacity of bodies'});
  const made = h('select', {id: 'made', 'aria-label': 'What bodies look made of'},
    ['auto', ...Object.keys(looks)].map((value) => h('option', {value}, value)));
  const trail = h('input', {id: 'trail', type: 'checkbox'});
  const arrows = h('input', {id: 'arrows', type: 'checkbox'});
  const film = h('button', {id: 'film', type: 'button', 'aria-pressed': 'false', onclick: () => toggleFilm()}, 'Film');

  function apply() {
    Object.assign(look, {axis: axis.value, share: Number(place.value), opacity: Number(opacity.value), trail: trail.checked, arrows: arrows.checked, made: made.value});
    place.disabled = look.axis === 'none';
    if (app.arrows !== look.arrows) {
      app.arrows = look.arrows;
      app.emit('arrows');
    }
    view3d?.setLook(look);
  }
  for (const input of [made, axis, place, opacity, trail, arrows]) input.addEventListener('input', apply);
  place.disabled = true;

  // What the canvas shows until the button is pressed again
  let recorder = null;
  function toggleFilm() {
    if (recorder) return recorder.stop();
    const pieces = [];
    recorder = new MediaRecorder(view3d.canvas.captureStream(30), {mimeType: 'video/webm'});
    recorder.ondataavailable = (event) => pieces.push(event.data);
    recorder.onstop = () => {
      save(fileName('webm'), new Blob(pieces), 'video/webm');
      recorder = null;
      view3d.setBackdrop(false);
      film.textContent = 'Film';
      film.setAttribute('aria-pressed', 'false');
    };
    view3d.setBackdrop(true);
    recorder.start();
    film.textContent = 'End and save the film';
    film.setAttribute('aria-pressed', 'true');
    return undefined;
  }

  const row = (label, ...inputs) => h('div', {class: 'row wide'}, h('label', {for: inputs[0].id}, label), inputs);
  return h('section', {class: 'group', id: 'view-settings'}, h('h3', {}, 'View'),
    h('div', {class: 'chips'}, cameras),
    row('Made of', made), row('Cut open along', axis, place), row('Opacity', opacity), row('Trail of the chosen node', trail), row('Contact forces', arrows),
    h('div', {class: 'chips'},
      h('button', {id: 'picture', type: 'button', onclick: () => view3d?.takePicture((blob) => save(fileName('png'), blob, 'image/png'))}, 'Picture'),
      typeof MediaRecorder === 'undefined' ? null : film, more));
}
