// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// One body as it is drawn: its surface, or its edges where it has none; its mesh, points or tets on demand. All of them
// share one array of positions.

import {
  BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, Group, LineBasicMaterial, LineSegments, Mesh,
  MeshPhongMaterial, Points,
} from 'three';
import {computeNormals, edgesOf} from './normals.js';
import {dotMaterial} from './dots.js';
import {TetShape} from './tets.js';

// Told apart by anyone, and calm in both themes
const palette = [0x4f86c6, 0xd98e3f, 0x4ba38b, 0xc26a87, 0x8c7bc4, 0xb7a245, 0x6a9f4b, 0x7f8a99];

export class BodyView {
  constructor(index, map) {
    this.group = new Group();
    this.index = index;
    this.map = map; // texture of colours
    this.topology = null;
    this.values = null; // of the frame that is shown
    this.material = new MeshPhongMaterial({
      color: palette[index % palette.length], side: DoubleSide, shininess: 28, specular: 0x222222,
      polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
    });
    this.tetMaterial = new MeshPhongMaterial({
      color: palette[index % palette.length], flatShading: true, shininess: 10, specular: 0x111111,
    });
    this.lineMaterial = new LineBasicMaterial({color: palette[index % palette.length]});
    this.meshMaterial = new LineBasicMaterial({color: 0x000000, transparent: true, opacity: 0.28});
    this.dotMaterial = dotMaterial(`#${palette[index % palette.length].toString(16)}`, '#202830', 5);
    this.draw = 'surface';
  }

  setTopology(topology) {
    this.clear();
    this.topology = topology;
    const {vertexCount, vertexNodes, nodeCount} = topology;
    this.positions = new Float32Array(3 * vertexCount);
    this.normals = new Float32Array(3 * vertexCount);
    this.uv = new Uint8Array(2 * vertexCount);
    this.position = new BufferAttribute(this.positions, 3).setUsage(DynamicDrawUsage);
    this.nodePositions = null;
    this.nodeValues = null;
    this.lower = [0, 0, 0];
    this.upper = [0, 0, 0];

    // The vertex of each node, for pins; -1 where the node is inside
    this.nodeVertex = new Int32Array(nodeCount).fill(-1);
    for (let v = vertexCount - 1; v >= 0; --v) this.nodeVertex[vertexNodes[v]] = v;

    if (topology.triangleCount > 0) {
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', this.position);
      geometry.setAttribute('normal', new BufferAttribute(this.normals, 3).setUsage(DynamicDrawUsage));
      geometry.setAttribute('uv', new BufferAttribute(this.uv, 2, true).setUsage(DynamicDrawUsage));
      geometry.setIndex(new BufferAttribute(topology.triangles, 1));
      this.surface = this.add(new Mesh(geometry, this.material));
      this.surface.castShadow = true;
      this.surface.receiveShadow = true;
    } else if (topology.edgeCount > 0) {
      this.lines = this.add(this.linesOf(topology.edges, this.lineMaterial));
    }
    this.setDraw(this.draw);
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
        if (values) this.uv[2 * v] = values[nodes[v]];
      }
    } else {
      this.nodePositions = null;
      dequantise(part, positions);
      if (values) for (let v = 0; v < part.count; ++v) this.uv[2 * v] = values[v];
    }
    if (!values) this.uv.fill(0);
    this.position.needsUpdate = true;
    if (this.surface) {
      computeNormals(positions, topology.triangles, this.normals);
      this.surface.geometry.attributes.normal.needsUpdate = true;
      this.surface.geometry.attributes.uv.needsUpdate = true;
    }
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
