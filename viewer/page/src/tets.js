// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Tets, each shrunken towards its middle so that one sees them all. Four flat faces a tet, nothing shared.

import {BufferAttribute, BufferGeometry, DynamicDrawUsage} from 'three';

const shrink = 0.82;
const corners = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]; // faces that look outwards

export class TetShape {
  constructor(tets) {
    this.tets = tets;
    const count = 3 * tets.length; // corners of faces
    this.positions = new Float32Array(3 * count);
    this.values = new Uint8Array(2 * count);
    this.geometry = new BufferGeometry();
    this.geometry.setAttribute('position', new BufferAttribute(this.positions, 3).setUsage(DynamicDrawUsage));
    this.geometry.setAttribute('uv', new BufferAttribute(this.values, 2, true).setUsage(DynamicDrawUsage));
  }

  update(nodes, values) {
    const {tets, positions} = this;
    let out = 0;
    for (let t = 0; t < tets.length; t += 4) {
      for (let axis = 0; axis < 3; ++axis) {
        const a = nodes[3 * tets[t] + axis];
        const b = nodes[3 * tets[t + 1] + axis];
        const c = nodes[3 * tets[t + 2] + axis];
        const d = nodes[3 * tets[t + 3] + axis];
        const middle = (1 - shrink) * 0.25 * (a + b + c + d);
        const sa = middle + shrink * a;
        const sb = middle + shrink * b;
        const sc = middle + shrink * c;
        const sd = middle + shrink * d;
        const o = out + axis;
        positions[o] = sa;
        positions[o + 3] = sc;
        positions[o + 6] = sb;
        positions[o + 9] = sa;
        positions[o + 12] = sb;
        positions[o + 15] = sd;
        positions[o + 18] = sb;
        positions[o + 21] = sc;
        positions[o + 24] = sd;
        positions[o + 27] = sa;
        positions[o + 30] = sd;
        positions[o + 33] = sc;
      }
      out += 36;
    }
    this.geometry.attributes.position.needsUpdate = true;
    if (values) this.colour(values);
  }

  colour(values) {
    let out = 0;
    for (let t = 0; t < this.tets.length; t += 4) {
      for (let k = 0; k < 12; ++k) {
        this.values[out] = values[this.tets[t + corners[k]]];
        out += 2;
      }
    }
    this.geometry.attributes.uv.needsUpdate = true;
  }

  dispose() {
    this.geometry.dispose();
  }
}
