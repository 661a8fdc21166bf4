// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the page remembers, the last minute at most, as a report: this very page, with the messages in it that a server
// would send. Nothing goes to the engine for it.

import {h, save} from './dom.js';
import {encodeFrame, encodeSeries, encodeText, encodeTopology} from './encode.js';

const mostFrames = 900;
const piece = 3 << 13; // bytes to write as base64 at a time, a multiple of 3

function toBase64(bytes) {
  const letters = [];
  for (let i = 0; i < bytes.length; i += piece) letters.push(btoa(String.fromCharCode(...bytes.subarray(i, i + piece))));
  return letters.join('');
}

async function packOf(messages) {
  const parts = messages.flatMap((message) => [new Uint32Array([message.byteLength]), message]);
  const stream = new Blob(parts).stream().pipeThrough(new CompressionStream('deflate'));
  return toBase64(new Uint8Array(await new Response(stream).arrayBuffer()));
}

// The largest value of each colour that frames have
function topsOf(frames) {
  const tops = {};
  for (const {colour, top} of frames) if (colour !== 'none' && top > 0) tops[colour] = Math.max(tops[colour] ?? 0, top);
  return tops;
}

function messagesOf(app, view3d, plots, kept) {
  const step = Math.ceil(kept.length / mostFrames);
  const frames = kept.filter((_, i) => i % step === 0 || i === kept.length - 1);
  const tops = topsOf(frames);
  const span = `${frames[0].time.toFixed(2)} s to ${frames.at(-1).time.toFixed(2)} s`;
  const {warnings, settings, states, ...scene} = app.scene;
  const columns = plots.columns();
  return [
    encodeText({type: 'hello', version: app.version, protocol: 1, source: 'report', facts: [...app.facts, ['saved', new Date().toISOString()]]}),
    encodeText({...scene, text: app.sceneText(), colours: tops, settings: [], states: []}),
    ...(columns.length > 1 && columns[0].values.length > 1 ? [encodeSeries(columns)] : []),
    ...view3d.bodies.topologies().map(encodeTopology),
    ...frames.map((frame) => encodeFrame(frame, tops)),
    encodeText({type: 'sections', title: scene.name, summary: `Saved from the live page, ${span}.`,
                sections: warnings?.length > 0 ? [{heading: 'Warnings', text: warnings.join('\n')}] : []}),
  ];
}

const escaped = (text) => text.replace(/[&<>]/g, (letter) => `&#${letter.charCodeAt(0)};`);

export function createReportButton(app, view3d, plots) {
  const button = h('button', {id: 'save-report', type: 'button', onclick: write}, 'Save report');
  async function write() {
    const kept = app.keptFrames?.() ?? [];
    if (kept.length === 0) return;
    button.disabled = true;
    try {
      const page = await (await fetch(location.href)).text();
      const pack = await packOf(messagesOf(app, view3d, plots, kept));
      const name = app.scene.name;
      const html = page.replace(/<title>[^<]*<\/title>/, () => `<title>${escaped(name)}</title>`)
        // The mark itself stands in no report, nor in this line of it
        .replace(/<!-{2}PACK-->/, () => `<script type="application/souple" id="pack">${pack}</script>`);
      save(`${name}.html`.replace(/[^\w.-]+/g, '_'), html, 'text/html');
    } catch (error) {
      app.notify('error', `The report could not be saved: ${error.message}.`);
    }
    button.disabled = false;
  }
  return button;
}
