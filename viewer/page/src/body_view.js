// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// One body as it is drawn: its surface, or its edges where it has none; its mesh, points or tets on demand. All of them
// share one array of positions.

import {
  BufferAttribute, BufferGeometry, DynamicDrawUsage, Group, LineBasicMaterial, LineSegments, Mesh,
  MeshPhongMaterial, Points,
} from 'three';
import {splitCreases} from './creases.js';
import {bodyMaterial} from './material.js';
import {nearLayer} from './near_shadow.js';
import {computeNormals, edgesOf} from './normals.js';
import {dotMaterial} from './dots.js';
import {TetShape} from './tets.js';

// Those of pictures (src/record/picture.c), told apart by anyone
const palette = [0xe06a26, 0x1f7bbf, 0x17a07c, 0xe3a51d, 0xc774a6, 0x58b2e4, 0x8a6bbe, 0x9da63a];

export class BodyView {
  constructor(index, map) {
    this.group = new Group();
    this.index = index;
    this.map = map; // texture of colours
    this.topology = null;
    this.values = null; // of the vertices, in the frame that is shown
    this.material = bodyMaterial(palette[index % palette.length],
      {polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1});
    this.tetMaterial = new MeshPhongMaterial({
      color: palette[index % palette.length], flatShading: true, shininess: 10, specular: 0x111111,
    });
    this.lineMaterial = new LineBasicMaterial({color: palette[index % palette.length]});
    this.meshMaterial = new LineBasicMaterial({color: 0x000000, transparent: true, opacity: 0.28});
    this.dotMaterial = dotMaterial(`#${palette[index % palette.length].toString(16).padStart(6, '0')}`, '#202830', 5);
    this.draw = 'surface';
  }

  setTopology(topology) {
    this.clear();
    this.topology = topology;
    const {vertexCount, vertexNodes, nodeCount} = topology;
    this.positions = new Float32Array(3 * vertexCount);
    this.values = new Uint8Array(vertexCount);
    this.skin = null; // the surface with its creases: made with the first points
    this.position = new BufferAttribute(this.positions, 3).setUsage(DynamicDrawUsage);
    this.nodePositions = null;
    this.nodeValues = null;
    this.lower = [0, 0, 0];
    this.upper = [0, 0, 0];

    // The vertex of each node, for pins; -1 where the node is inside
    this.nodeVertex = new Int32Array(nodeCount).fill(-1);
    for (let v = vertexCount - 1; v >= 0; --v) this.nodeVertex[vertexNodes[v]] = v;

    if (topology.triangleCount === 0 && topology.edgeCount > 0) {
      this.lines = this.add(this.linesOf(topology.edges, this.lineMaterial));
    }
    this.setDraw(this.draw);
  }

  makeSkin() {
    const {topology} = this;
    const {source, triangles, open} = splitCreases(this.positions, topology.triangles, topology.vertexCount, topology.bare);
    this.skin = {
      source, triangles, positions: new Float32Array(3 * source.length), normals: new Float32Array(3 * source.length),
      uv: new Uint8Array(2 * source.length),
    };
    const attribute = (array, size, normalised = false) => new BufferAttribute(array, size, normalised).setUsage(DynamicDrawUsage);
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', attribute(this.skin.positions, 3));
    geometry.setAttribute('normal', attribute(this.skin.normals, 3));
    geometry.setAttribute('uv', attribute(this.skin.uv, 2, true));
    geometry.setIndex(new BufferAttribute(triangles, 1));
    if (topology.bare) {
      const bare = new Uint8Array(source.length);
      for (let c = 0; c < triangles.length; ++c) bare[triangles[c]] = topology.bare[Math.floor(c / 3)];
      geometry.setAttribute('bare', new BufferAttribute(bare, 1));
    }
    this.material.setSheet(open);
    this.surface = this.add(new Mesh(geometry, this.material));
    this.surface.castShadow = true;
    this.surface.receiveShadow = true;
    this.surface.layers.enable(nearLayer);
  }

  updateSkin() {
    if (!this.skin) this.makeSkin();
    const {source, positions, normals, triangles, uv} = this.skin;
    const from = this.positions;
    for (let i = 0; i < source.length; ++i) {
      const v = source[i];
      positions[3 * i] = from[3 * v];
      positions[3 * i + 1] = from[3 * v + 1];
      positions[3 * i + 2] = from[3 * v + 2];
      uv[2 * i] = this.values[v];
    }
    computeNormals(positions, triangles, normals);
    for (const name of ['position', 'normal', 'uv']) this.surface.geometry.attributes[name].needsUpdate = true;
  }

  linesOf(edges, material) {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', this.position);
    geometry.setIndex(new BufferAttribute(edges, 1));
    return new LineSegments(geometry, material);
  }

  add(object) {
    object.frustumCulled = false; // bodies move: their spheres would have to follow
    this.group.add(object);
    return object;
  }

  // What is made only when it is asked for
  setDraw(draw) {
    this.draw = draw;
    if (!this.topology) return;
    const {topology} = this;
    if (draw === 'mesh' && !this.wire && topology.triangleCount > 0) {
      this.wire = this.add(this.linesOf(edgesOf(topology.triangles, topology.vertexCount), this.meshMaterial));
    }
    if (draw === 'points' && !this.dots) {
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', this.position);
      this.dots = this.add(new Points(geometry, this.dotMaterial));
    }
    const tets = draw === 'tets' && this.nodePositions !== null && topology.tetCount > 0;
    if (tets && !this.tets) {
      this.tetShape = new TetShape(topology.tets);
      this.tets = this.add(new Mesh(this.tetShape.geometry, this.tetMaterial));
      this.tets.castShadow = true;
      this.tets.receiveShadow = true;
      this.tetShape.update(this.nodePositions, this.nodeValues);
    }
    if (this.surface) this.surface.visible = !tets && draw !== 'points';
    if (this.lines) this.lines.visible = draw !== 'points';
    if (this.wire) this.wire.visible = draw === 'mesh';
    if (this.dots) this.dots.visible = draw === 'points';
    if (this.tets) this.tets.visible = tets;
  }

  setColoured(coloured, dark) {
    const map = coloured ? this.map : null;
    this.material.setColoured(coloured);
    for (const material of [this.material, this.tetMaterial]) {
      if (material.map === map) continue;
      material.map = map;
      material.color.setHex(map ? 0xffffff : palette[this.index % palette.length]);
      material.needsUpdate = true;
    }
    this.meshMaterial.color.setHex(dark ? 0xffffff : 0x000000);
  }

  // Positions and values of a frame; points may be nodes instead of vertices
  setPoints(part, colour) {
    const {topology, positions} = this;
    const expected = part.nodes ? topology.nodeCount : topology.vertexCount;
    if (part.count !== expected) throw new Error('a frame and the topology of a body do not fit');
    const values = part.values[colour] ?? null;
    this.lower = part.corner;
    this.upper = part.corner.map((x, i) => x + part.size[i]);
    if (part.nodes) {
      if (!this.nodePositions) this.nodePositions = new Float32Array(3 * topology.nodeCount);
      dequantise(part, this.nodePositions);
      this.nodeValues = values;
      const nodes = topology.vertexNodes;
      for (let v = 0; v < nodes.length; ++v) {
        positions[3 * v] = this.nodePositions[3 * nodes[v]];
        positions[3 * v + 1] = this.nodePositions[3 * nodes[v] + 1];
        positions[3 * v + 2] = this.nodePositions[3 * nodes[v] + 2];
        if (values) this.values[v] = values[nodes[v]];
      }
    } else {
      this.nodePositions = null;
      dequantise(part, positions);
      if (values) this.values.set(values);
    }
    if (!values) this.values.fill(0);
    this.position.needsUpdate = true;
    if (topology.triangleCount > 0) this.updateSkin();
    this.setDraw(this.draw);
    if (this.tets?.visible) this.tetShape.update(this.nodePositions, this.nodeValues);
  }

  clear() {
    for (const object of [...this.group.children]) {
      this.group.remove(object);
      object.geometry.dispose();
    }
    this.surface = this.lines = this.wire = this.dots = this.tets = this.tetShape = null;
  }

  dispose() {
    this.clear();
    for (const material of [this.material, this.tetMaterial, this.lineMaterial, this.meshMaterial, this.dotMaterial]) {
      material.dispose();
    }
  }
}

function dequantise(part, positions) {
  const {points, corner, size} = part;
  const sx = size[0] / 65535;
  const sy = size[1] / 65535;
  const sz = size[2] / 65535;
  for (let i = 0; i < points.length; i += 3) {
    positions[i] = corner[0] + sx * points[i];
    positions[i + 1] = corner[1] + sy * points[i + 1];
    positions[i + 2] = corner[2] + sz * points[i + 2];
  }
}
