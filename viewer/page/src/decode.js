// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Messages of the engine, byte by byte as docs/view_protocol.md says. What does not fit is an error with a sentence; a
// kind that is not known is null, so that an older page can play a newer report.

export const colourNames = ['none', 'displacement', 'strain', 'stress', 'velocity', 'pressure', 'modulus', 'level', 'region'];

const nodesFlag = 1;
const withoutValuesFlag = 2;
const manyValuesFlag = 4;

class Reader {
  constructor(bytes) {
    // Typed arrays want their place in memory aligned; messages of a report lie anywhere.
    this.bytes = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength);
    this.offset = 0;
  }

  take(size) {
    const offset = this.offset;
    if (!(size >= 0) || offset + size > this.bytes.byteLength) throw new Error('a message of the engine is cut off');
    this.offset = offset + size;
    return offset;
  }

  left() {
    return this.bytes.byteLength - this.offset;
  }

  u32() {
    return this.view.getUint32(this.take(4), true);
  }

  f32() {
    return this.view.getFloat32(this.take(4), true);
  }

  f64() {
    return this.view.getFloat64(this.take(8), true);
  }

  u64() {
    return Number(this.view.getBigUint64(this.take(8), true));
  }

  floats(count) {
    return Array.from({length: count}, () => this.f32());
  }

  array(Type, count) {
    const offset = this.take(count * Type.BYTES_PER_ELEMENT);
    return new Type(this.bytes.buffer, this.bytes.byteOffset + offset, count);
  }

  text(size) {
    const offset = this.take(size);
    return new TextDecoder().decode(this.bytes.subarray(offset, offset + size));
  }

  pad() {
    this.take((4 - (this.offset % 4)) % 4);
  }
}

export function kindOf(bytes) {
  return bytes.byteLength < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
}

export function decode(bytes) {
  const reader = new Reader(bytes);
  const kind = reader.u32();
  if (kind === 1) return {kind, text: JSON.parse(reader.text(bytes.byteLength - 4))};
  if (kind === 2) return decodeTopology(reader);
  if (kind === 3) return decodeFrame(reader);
  if (kind === 4) return decodeSeries(reader);
  return null;
}

function checkBelow(indices, limit, what) {
  for (let i = 0; i < indices.length; ++i) {
    if (indices[i] >= limit) throw new Error(`${what} of a body name a point that is not there`);
  }
}

function decodeTopology(reader) {
  const topology = {kind: 2, serial: reader.u32(), body: reader.u32(), version: reader.u32()};
  topology.vertexCount = reader.u32();
  topology.triangleCount = reader.u32();
  topology.edgeCount = reader.u32();
  topology.nodeCount = reader.u32();
  topology.tetCount = reader.u32();
  topology.vertexNodes = reader.array(Uint32Array, topology.vertexCount);
  topology.triangles = reader.array(Uint32Array, 3 * topology.triangleCount);
  topology.edges = reader.array(Uint32Array, 2 * topology.edgeCount);
  topology.tets = reader.array(Uint32Array, 4 * topology.tetCount);
  // Only where an edit laid something bare
  topology.bare = reader.left() > 0 ? reader.array(Uint8Array, topology.triangleCount) : null;
  checkBelow(topology.vertexNodes, topology.nodeCount, 'vertices');
  checkBelow(topology.triangles, topology.vertexCount, 'triangles');
  checkBelow(topology.edges, topology.vertexCount, 'edges');
  checkBelow(topology.tets, topology.nodeCount, 'tets');
  return topology;
}

function decodeFrame(reader) {
  const frame = {kind: 3, serial: reader.u32(), number: reader.u32(), flags: reader.u32()};
  frame.time = reader.f64();
  frame.step = reader.u64();
  frame.colour = colourNames[reader.u32()] ?? 'none';
  frame.top = reader.f32();
  const bodyCount = reader.u32();
  const colliderCount = reader.u32();
  const handCount = reader.u32();
  if (bodyCount > 65536 || colliderCount > 65536 || handCount > 65536) throw new Error('a frame holds too many things');
  frame.colliders = Array.from({length: colliderCount}, () =>
    ({index: reader.u32(), position: reader.floats(3), rotation: reader.floats(4)}));
  frame.hands = Array.from({length: handCount}, () =>
    ({body: reader.u32(), point: reader.floats(3), target: reader.floats(3), force: reader.floats(3)}));
  frame.bodies = Array.from({length: bodyCount}, () => decodePoints(reader, frame.colour));
  // Older reports end here
  const contactCount = reader.left() > 0 ? reader.u32() : 0;
  frame.contacts = reader.array(Float32Array, 6 * contactCount); // position and force of each
  return frame;
}

function decodePoints(reader, colour) {
  const body = reader.u32();
  const version = reader.u32();
  const flags = reader.u32();
  const count = reader.u32();
  const corner = reader.floats(3);
  const size = reader.floats(3);
  const points = reader.array(Uint16Array, 3 * count);
  const values = {}; // by name of the colour
  if (flags & manyValuesFlag) {
    for (let c = 1; c < colourNames.length; ++c) {
      if (flags & (1 << (8 + c))) values[colourNames[c]] = reader.array(Uint8Array, count);
    }
  } else if (!(flags & withoutValuesFlag)) {
    values[colour] = reader.array(Uint8Array, count);
  }
  reader.pad();
  return {body, version, nodes: (flags & nodesFlag) !== 0, count, corner, size, points, values};
}

function decodeSeries(reader) {
  const rowCount = reader.u32();
  const columnCount = reader.u32();
  const heads = JSON.parse(reader.text(reader.u32()));
  reader.pad();
  if (!Array.isArray(heads) || heads.length !== columnCount) throw new Error('the columns of a series do not fit its head');
  const columns = heads.map((head) => ({
    name: String(head.name), unit: String(head.unit ?? ''), group: String(head.group ?? ''),
    values: reader.array(Float32Array, rowCount),
  }));
  return {kind: 4, rowCount, columns};
}
