// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Messages written as decode.js reads them, for reports that the page saves.

import {colourNames} from './decode.js';

const nodesFlag = 1;
const manyValuesFlag = 4;

const u32 = (...values) => new Uint32Array(values);
const f32 = (...values) => new Float32Array(values);

// Typed arrays one behind the other, filled up to 4 bytes
function join(parts) {
  const size = parts.reduce((sum, part) => sum + part.byteLength, 0);
  const bytes = new Uint8Array(size + ((4 - (size % 4)) % 4));
  let offset = 0;
  for (const part of parts) {
    bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), offset);
    offset += part.byteLength;
  }
  return bytes;
}

export function encodeText(object) {
  const text = new TextEncoder().encode(JSON.stringify(object));
  const bytes = new Uint8Array(4 + text.length);
  bytes.set(new Uint8Array(u32(1).buffer));
  bytes.set(text, 4);
  return bytes;
}

export function encodeTopology(t) {
  return join([u32(2, t.serial, t.body, t.version, t.vertexCount, t.triangleCount, t.edgeCount, t.nodeCount, t.tetCount),
               t.vertexNodes, t.triangles, t.edges, t.tets, ...(t.bare ? [t.bare] : [])]);
}

// A live frame as one of a report: values of its one colour go by the same last colour in all frames, `tops`
export function encodeFrame(frame, tops) {
  const parts = [u32(3, frame.serial, frame.number, frame.flags), new Float64Array([frame.time]), new BigUint64Array([BigInt(frame.step)]),
                 u32(0), f32(0), u32(frame.bodies.length, frame.colliders.length, frame.hands.length)];
  for (const {index, position, rotation} of frame.colliders) parts.push(u32(index), f32(...position, ...rotation));
  for (const {body, point, target, force} of frame.hands) parts.push(u32(body), f32(...point, ...target, ...force));
  for (const part of frame.bodies) {
    const values = part.values[frame.colour];
    const has = values !== undefined && tops[frame.colour] > 0;
    const flags = manyValuesFlag | (part.nodes ? nodesFlag : 0) | (has ? 1 << (8 + colourNames.indexOf(frame.colour)) : 0);
    const scale = has ? frame.top / tops[frame.colour] : 0;
    parts.push(u32(part.body, part.version, flags, part.count), f32(...part.corner, ...part.size),
               join([part.points, has ? values.map((v) => Math.round(scale * v)) : new Uint8Array()]));
  }
  parts.push(u32(frame.contacts.length / 6), frame.contacts);
  return join(parts);
}

export function encodeSeries(columns) {
  const rowCount = columns[0].values.length;
  const heads = new TextEncoder().encode(JSON.stringify(columns.map(({name, unit, group}) => ({name, unit, group}))));
  return join([u32(4, rowCount, columns.length, heads.length), join([heads]),
               ...columns.map((c) => Float32Array.from(c.values, (v) => v ?? Number.NaN))]);
}
