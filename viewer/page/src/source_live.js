// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A live world: one WebSocket, opened again whenever it is lost. Frames are never queued: only the last one is kept until
// the next picture, and the engine hears which one was drawn.

import {decode, kindOf} from './decode.js';

const shortestWait = 250; // ms
const longestWait = 3000; // ms

export function startLive(app, receive, receiveFrame) {
  let socket = null;
  let wait = shortestWait;
  let timer = 0;

  function address() {
    const token = new URLSearchParams(location.search).get('token');
    const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
    return `${scheme}//${location.host}/live${token ? `?token=${encodeURIComponent(token)}` : ''}`;
  }

  function connect() {
    clearTimeout(timer);
    timer = 0;
    socket = new WebSocket(address(), 'souple-1');
    socket.binaryType = 'arraybuffer';
    socket.onmessage = (event) => take(event.data);
    socket.onclose = (event) => lose(event);
  }

  function take(data) {
    if (!(data instanceof ArrayBuffer)) return;
    const bytes = new Uint8Array(data);
    try {
      if (kindOf(bytes) === 3) {
        receiveFrame(bytes);
        return;
      }
      const message = decode(bytes);
      if (message === null) return;
      if (message.text?.type === 'hello') {
        if (message.text.protocol !== 1) {
          fail(`This page speaks another language than the engine (${message.text.version}): load it again.`);
          return;
        }
        wait = shortestWait;
      }
      receive(message);
    } catch (error) {
      app.notify('error', `Not understood: ${error.message}`);
    }
  }

  function fail(text) {
    socket.onclose = null;
    socket.close();
    app.setStatus('error', text);
  }

  function lose(event) {
    socket = null;
    if (event.code === 1007 || event.code === 1008 || event.code === 1009) {
      app.notify('warning', `The engine closed the connection${event.reason ? `: ${event.reason}` : ''}.`);
    }
    app.setStatus('lost');
    timer = setTimeout(connect, wait * (0.8 + 0.4 * Math.random()));
    wait = Math.min(wait * 1.6, longestWait);
  }

  function hurry() {
    if (timer === 0 || document.hidden) return;
    wait = shortestWait;
    connect();
  }
  addEventListener('online', hurry);
  document.addEventListener('visibilitychange', hurry);

  app.send = (message) => {
    if (socket === null || socket.readyState !== WebSocket.OPEN) return false;
    socket.send(JSON.stringify(message));
    return true;
  };
  connect();
}
