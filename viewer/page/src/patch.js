// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What a hand takes hold of: not one node, which would come out as a needle, but a patch around it, held firmly in the
// middle and loosely at its rim. Three rings of nodes, each a grab of its own with one stiffness for all of its nodes;
// together they are as stiff as the hand.

const ringCount = 3;
const mostNodes = 150; // of a ring, so that its message stays short

const falloff = (share) => (1 - share * share) ** 2;

// Rings of {nodes, stiffness in N/m at each node}, the middle one first; at least the vertex itself
export function findPatch(view, vertex, radius, stiffness, pins) {
  const {positions, topology} = view;
  const rings = Array.from({length: ringCount}, () => new Set());
  for (let v = 0; v < topology.vertexCount; ++v) {
    const distance = Math.hypot(positions[3 * v] - positions[3 * vertex], positions[3 * v + 1] - positions[3 * vertex + 1],
                                positions[3 * v + 2] - positions[3 * vertex + 2]);
    const node = topology.vertexNodes[v];
    if (v !== vertex && (distance >= radius || pins?.has(node))) continue;
    rings[v === vertex ? 0 : Math.floor((ringCount * distance) / radius)].add(node);
  }
  const taken = new Set();
  const lists = rings.map((ring) => {
    const nodes = [...ring].filter((node) => !taken.has(node)); // vertices of attached surfaces may share a node
    nodes.forEach((node) => taken.add(node));
    const step = Math.ceil(nodes.length / mostNodes);
    return nodes.filter((_, i) => i % step === 0);
  });
  const weights = lists.map((_, i) => falloff((i + 0.5) / ringCount));
  const sum = lists.reduce((total, nodes, i) => total + weights[i] * nodes.length, 0);
  return lists.map((nodes, i) => ({nodes, stiffness: Number(((stiffness * weights[i]) / sum).toPrecision(6))}))
    .filter(({nodes}) => nodes.length > 0);
}

// Mean length of the sides of triangles, m; 0 without any
export function meanEdge(positions, triangles) {
  let sum = 0;
  for (let c = 0; c < triangles.length; ++c) {
    const a = 3 * triangles[c];
    const b = 3 * triangles[c % 3 === 2 ? c - 2 : c + 1];
    sum += Math.hypot(positions[a] - positions[b], positions[a + 1] - positions[b + 1], positions[a + 2] - positions[b + 2]);
  }
  return triangles.length > 0 ? sum / triangles.length : 0;
}
