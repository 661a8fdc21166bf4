// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Files that fall onto the page, or are chosen: a scene with its meshes, or a mesh alone. They go to the engine piece by
// piece, as fast as it listens.

import {h} from './dom.js';

const piece = 2880; // bytes; in base64, with what is around, a message stays below 4096
const atOnce = 25;
const pause = 100; // ms
const largest = 16 << 20; // bytes
const isScene = (file) => /\.json$/i.test(file.name);
const plainName = (name) => name.replace(/[^A-Za-z0-9._-]/g, '_').replace(/^\.+/, '').slice(-64) || 'file';

export function createDrop(app) {
  const hint = h('div', {id: 'drop-hint', hidden: true}, h('p', {}, 'Drop a scene or a mesh'));
  const chooser = h('input', {id: 'open-file', type: 'file', multiple: true, hidden: true, 'aria-label': 'Open scenes or meshes',
                              accept: '.json,.obj,.stl,.ply,.off,.msh,.vtk,.vtu,.mesh,.inp,.veg'});
  document.body.append(hint, chooser);

  async function sendFile(file, open) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const name = plainName(file.name);
    for (let offset = 0, count = 1; offset < bytes.length; offset += piece, ++count) {
      const data = btoa(String.fromCharCode(...bytes.subarray(offset, offset + piece)));
      if (!app.command({do: 'file', name, size: bytes.length, offset, data, open})) return false;
      if (count % atOnce === 0) await new Promise((done) => setTimeout(done, pause));
    }
    return true;
  }

  // A scene comes last, when its meshes are there
  async function send(list) {
    const files = [...list].sort((a, b) => isScene(a) - isScene(b));
    const scene = files.some(isScene);
    const bad = files.find((file) => file.size === 0 || file.size > largest);
    if (files.length === 0) return;
    if (bad) {
      app.notify('error', `${bad.name} has ${bad.size === 0 ? 'nothing in it' : `more than ${largest >> 20} MB: convert it, or start souple view with it`}.`);
      return;
    }
    if (files.reduce((sum, file) => sum + file.size, 0) > 5e5) app.notify('info', `Sending ${files.map((file) => file.name).join(', ')} ...`);
    for (const [i, file] of files.entries()) {
      if (!(await sendFile(file, scene ? i === files.length - 1 : i === 0))) return;
    }
  }

  const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes('Files');
  addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    hint.hidden = false;
  });
  addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) hint.hidden = true;
  });
  addEventListener('drop', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    hint.hidden = true;
    send(event.dataTransfer.files);
  });
  chooser.addEventListener('change', () => {
    send(chooser.files);
    chooser.value = '';
  });
  return () => chooser.click();
}
