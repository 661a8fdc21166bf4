// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A report: everything that a server would have sent stands in the page itself, as base64 of a zlib stream of messages,
// each behind its size.

import {decode, kindOf} from './decode.js';

const chunk = 1 << 20; // letters of base64 at a time, a multiple of 4

export function findPack() {
  return document.getElementById('pack');
}

// Messages other than frames go to `receive` in their order; frames stay as bytes, to be decoded when they are shown.
export async function readReport(pack, receive) {
  const bytes = await inflate(pack.textContent);
  pack.remove(); // its text is not needed any more
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const frames = [];
  let offset = 0;
  while (offset < bytes.byteLength) {
    if (offset + 4 > bytes.byteLength) throw new Error('the report is cut off');
    const size = view.getUint32(offset, true);
    offset += 4;
    if (offset + size > bytes.byteLength) throw new Error('the report is cut off');
    const message = bytes.subarray(offset, offset + size);
    offset += size;
    if (kindOf(message) === 3) {
      if (size < 24) throw new Error('a frame is cut off');
      frames.push({time: view.getFloat64(offset - size + 16, true), bytes: message});
      continue;
    }
    const decoded = decode(message);
    if (decoded !== null) receive(decoded);
  }
  return frames;
}

async function inflate(text) {
  const start = text.search(/\S/);
  const end = text.trimEnd().length;
  let place = Math.max(start, 0);
  const source = new ReadableStream({
    pull(controller) {
      if (place >= end) {
        controller.close();
        return;
      }
      const binary = atob(text.slice(place, Math.min(place + chunk, end)));
      place += chunk;
      const bytes = new Uint8Array(binary.length);
      for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
      controller.enqueue(bytes);
    },
  });
  const inflated = source.pipeThrough(new DecompressionStream('deflate'));
  try {
    return new Uint8Array(await new Response(inflated).arrayBuffer());
  } catch {
    throw new Error('its data are damaged');
  }
}
