// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Contact forces as arrows: from where a contact presses, along the force on the body. One scale for all of a frame, told by a
// legend: it grows at once with the largest force and shrinks slowly, so that arrows do not breathe.

import {ConeGeometry, CylinderGeometry, DynamicDrawUsage, Group, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, Vector3} from 'three';
import {h} from './dom.js';
import {withUnit} from './format.js';

const room = 4096; // arrows that are drawn at most
const longest = 0.35; // of the radius of what is seen
const fade = 0.98; // of the scale, in each frame

// 1, 2 or 5 times a power of ten, not below x
function roundUp(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const share = x / power;
  return (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10) * power;
}

export function createArrows(app) {
  const group = new Group();
  const material = new MeshBasicMaterial({color: 0xd81b60, depthTest: false, transparent: true, opacity: 0.9});
  // Both stand on the origin and point along y
  const shafts = new InstancedMesh(new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0), material, room);
  const heads = new InstancedMesh(new ConeGeometry(1, 1, 12).translate(0, 0.5, 0), material, room);
  for (const mesh of [shafts, heads]) {
    mesh.count = 0;
    mesh.frustumCulled = false;
    mesh.renderOrder = 9;
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    group.add(mesh);
  }
  const bar = h('div', {class: 'arrow-bar'});
  const text = h('span', {id: 'arrow-scale'});
  const legend = h('div', {id: 'arrow-legend', class: 'float', hidden: true, role: 'group', 'aria-label': 'Scale of contact forces'},
    h('div', {}, 'Contact force'), bar, text);
  document.getElementById('stage').append(legend);

  let top = 0; // force of the longest arrow, N
  let count = 0;
  let largest = 0;
  let perMetre = 0; // force of an arrow of 1 m, N
  const up = new Vector3(0, 1, 0);
  const at = new Vector3();
  const along = new Vector3();
  const size = new Vector3();
  const turn = new Quaternion();
  const matrix = new Matrix4();

  function place(i, position, force, length, radius) {
    const head = Math.min(0.35 * length, 0.045 * radius);
    along.copy(force).normalize();
    turn.setFromUnitVectors(up, along);
    shafts.setMatrixAt(i, matrix.compose(position, turn, size.set(0.006 * radius, length - head, 0.006 * radius)));
    position.addScaledVector(along, length - head);
    heads.setMatrixAt(i, matrix.compose(position, turn, size.set(0.4 * head, head, 0.4 * head)));
  }

  return {
    group,
    // contacts: positions and forces, six numbers each; null hides all
    show(contacts, radius) {
      const total = Math.min((contacts?.length ?? 0) / 6, room);
      largest = 0;
      count = 0;
      for (let i = 0; i < total; ++i) largest = Math.max(largest, Math.hypot(contacts[6 * i + 3], contacts[6 * i + 4], contacts[6 * i + 5]));
      top = Math.max(largest, fade * top);
      for (let i = 0; i < total; ++i) {
        at.fromArray(contacts, 6 * i);
        along.fromArray(contacts, 6 * i + 3);
        const force = along.length();
        const length = (longest * radius * force) / top;
        if (length > 0.01 * radius) place(count++, at, along.clone(), length, radius);
      }
      for (const mesh of [shafts, heads]) {
        mesh.count = count;
        mesh.instanceMatrix.needsUpdate = true;
      }
      legend.hidden = !contacts;
      perMetre = top > 0 ? top / (longest * radius) : 0;
    },
    // How long a metre is on the screen, in pixels, in the middle of what is seen: the bar is as long as an arrow there
    measure(pixels) {
      if (legend.hidden) return;
      const round = perMetre > 0 ? roundUp((30 * perMetre) / pixels) : 0;
      bar.style.width = round > 0 ? `${((pixels * round) / perMetre).toFixed(1)}px` : '0';
      text.textContent = round > 0 ? withUnit(round, 'N') : 'none yet';
    },
    state: () => ({count, largest, top, shown: !legend.hidden, scale: text.textContent}),
  };
}
