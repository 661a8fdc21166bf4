// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Where a surface is sharp: vertices on creases are drawn once for each side, so that a box has flat sides. Found once for
// a topology, from the shape that it comes with; what folds later stays smooth. What an edit laid bare has vertices of
// its own too, for its colour.

const sharp = 0.6; // cosine of the angle between faces from which on an edge is a crease

function faceNormals(positions, triangles) {
  const normals = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const u = [0, 1, 2].map((k) => positions[b + k] - positions[a + k]);
    const v = [0, 1, 2].map((k) => positions[c + k] - positions[a + k]);
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const length = Math.hypot(...n) || 1;
    for (let k = 0; k < 3; ++k) normals[t + k] = n[k] / length;
  }
  return normals;
}

// `source` is the vertex of each vertex that is drawn, `triangles` are in these; `open` says that the surface has a rim
export function splitCreases(positions, triangles, vertexCount, bare = null) {
  const normals = faceNormals(positions, triangles);
  const parent = new Int32Array(triangles.length).map((_, i) => i); // of corners
  const find = (i) => {
    while (parent[i] !== i) i = parent[i] = parent[parent[i]];
    return i;
  };
  const edges = new Map(); // first corner of an edge by its vertices; -1 when two faces have met there
  for (let c = 0; c < triangles.length; ++c) {
    const next = c % 3 === 2 ? c - 2 : c + 1;
    const [a, b] = [triangles[c], triangles[next]];
    const key = a < b ? a * vertexCount + b : b * vertexCount + a;
    const other = edges.get(key);
    if (other === undefined) {
      edges.set(key, c);
      continue;
    }
    edges.set(key, -1);
    if (other < 0) continue;
    const [t, s] = [c - (c % 3), other - (other % 3)];
    const cosine = normals[t] * normals[s] + normals[t + 1] * normals[s + 1] + normals[t + 2] * normals[s + 2];
    if (cosine < sharp || (bare && bare[t / 3] !== bare[s / 3])) continue;
    const otherNext = other % 3 === 2 ? other - 2 : other + 1;
    const same = triangles[other] === a;
    parent[find(c)] = find(same ? other : otherNext);
    parent[find(next)] = find(same ? otherNext : other);
  }
  let open = false;
  for (const corner of edges.values()) open ||= corner >= 0;
  const numbers = new Int32Array(triangles.length).fill(-1);
  const drawn = new Uint32Array(triangles.length);
  const source = [];
  for (let c = 0; c < triangles.length; ++c) {
    const root = find(c);
    if (numbers[root] < 0) {
      numbers[root] = source.length;
      source.push(triangles[c]);
    }
    drawn[c] = numbers[root];
  }
  return {source: new Uint32Array(source), triangles: drawn, open};
}
