// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Messages as the page reads them: what fits is read, what does not is an error and never a read beyond the end.

import assert from 'node:assert/strict';
import {test} from 'node:test';

import {colourTable} from '../src/colormap.js';
import {toCsv} from '../src/csv.js';
import {decode} from '../src/decode.js';
import {roundTicks, shortNumber, withUnit} from '../src/format.js';

function bytesOf(...parts) {
  return new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength))));
}

const u32 = (...values) => new Uint32Array(values);
const f32 = (...values) => new Float32Array(values);

function text(object) {
  return bytesOf(u32(1), new TextEncoder().encode(JSON.stringify(object)));
}

function topology({triangles = [0, 1, 2], nodes = [0, 1, 2], nodeCount = 3} = {}) {
  return bytesOf(u32(2, 1, 0, 7, nodes.length, triangles.length / 3, 0, nodeCount, 0), u32(...nodes), u32(...triangles));
}

function frame(flags, values) {
  const head = [u32(3, 1, 5, 0), new Float64Array([0.25]), new BigUint64Array([15n]), u32(3), f32(1000), u32(1, 1, 1)];
  const pose = [u32(0xffffffff), f32(1, 2, 3, 0.1, 0, 0, 1)];
  const hand = [u32(0), f32(0, 0, 0, 1, 1, 1, 3, 4, 0)];
  const body = [u32(0, 7, flags, 3), f32(-1, 0, 0, 2, 1, 1), new Uint16Array([0, 0, 0, 65535, 0, 0, 0, 65535, 0])];
  const size = 18 + values.length;
  return bytesOf(...head, ...pose, ...hand, ...body, new Uint8Array(values), new Uint8Array((4 - (size % 4)) % 4));
}

test('a text', () => {
  assert.equal(decode(text({type: 'hello', protocol: 1})).text.protocol, 1);
  assert.throws(() => decode(bytesOf(u32(1), new TextEncoder().encode('{'))));
});

test('a topology', () => {
  const message = decode(topology());
  assert.equal(message.version, 7);
  assert.deepEqual([...message.triangles], [0, 1, 2]);
  assert.throws(() => decode(topology({triangles: [0, 1, 3]})), /triangles/);
  assert.throws(() => decode(topology({nodes: [0, 1, 9]})), /vertices/);
});

test('a frame', () => {
  const message = decode(frame(0, [0, 128, 255]));
  assert.equal(message.time, 0.25);
  assert.equal(message.step, 15);
  assert.equal(message.colour, 'stress');
  assert.equal(message.hands[0].force[1], 4);
  assert.deepEqual([...message.bodies[0].values.stress], [0, 128, 255]);
  assert.deepEqual(decode(frame(2, [])).bodies[0].values, {});
});

test('several values of a report', () => {
  const {values} = decode(frame(4 | (1 << 9) | (1 << 12), [1, 2, 3, 4, 5, 6])).bodies[0];
  assert.deepEqual([...values.displacement], [1, 2, 3]);
  assert.deepEqual([...values.velocity], [4, 5, 6]);
});

test('a series', () => {
  const heads = new TextEncoder().encode('[{"name":"time","unit":"s","group":"time"}]');
  const pad = new Uint8Array((4 - (heads.length % 4)) % 4);
  const message = decode(bytesOf(u32(4, 2, 1, heads.length), heads, pad, f32(0, 0.5)));
  assert.deepEqual([...message.columns[0].values], [0, 0.5]);
  assert.throws(() => decode(bytesOf(u32(4, 2, 2, heads.length), heads, pad, f32(0, 0.5, 1, 1))));
});

test('what is cut off anywhere is an error', () => {
  for (const whole of [topology(), frame(0, [0, 128, 255])]) {
    decode(whole);
    for (let size = 4; size < whole.length - 3; ++size) assert.throws(() => decode(whole.slice(0, size)), `${size} bytes`);
  }
});

test('numbers that lie about sizes are errors', () => {
  const lies = frame(0, [0, 128, 255]);
  for (let place = 4; place + 4 <= lies.length; place += 4) {
    const copy = lies.slice();
    new DataView(copy.buffer).setUint32(place, 0xffffffff, true);
    try {
      decode(copy);
    } catch (error) {
      assert.match(error.message, /cut off|too many/);
    }
  }
});

test('kinds that are not known are left out', () => {
  assert.equal(decode(bytesOf(u32(77, 1, 2))), null);
});

test('places in memory that are not aligned', () => {
  const whole = frame(0, [0, 128, 255]);
  const moved = new Uint8Array(whole.length + 1);
  moved.set(whole, 1);
  assert.equal(decode(moved.subarray(1)).bodies[0].points[3], 65535);
});

test('colours get lighter in even steps', () => {
  const table = colourTable();
  const lightness = (i) => {
    const linear = [0, 1, 2].map((k) => table[4 * i + k] / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 116 * Math.cbrt(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]) - 16;
  };
  for (let i = 16; i < 256; i += 16) assert.ok(lightness(i) - lightness(i - 16) > 2, `colour ${i}`);
});

test('numbers as people read them', () => {
  assert.equal(shortNumber(0.012345), '0.0123');
  assert.equal(shortNumber(1.5e6), '1.5e6');
  assert.equal(withUnit(1580, 'N'), '1.58 kN');
  assert.deepEqual(roundTicks(1, 4), [0, 0.25, 0.5, 0.75, 1]);
  assert.equal(toCsv([{name: 'a,b', unit: 'm', values: [1, null]}]), '"a,b [m]"\n1\n\n');
});
