// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What all parts of the page share: plain data, and events for whoever wants to know that it changed. Parts know this
// object and not each other.

export function createApp() {
  const listeners = new Map();
  return {
    source: 'live', // live, report
    status: 'loading', // loading, ready, lost, error
    version: '',
    facts: [],
    scenes: [],
    scene: null, // message `scene`
    pins: [], // for each body a set of nodes
    links: [], // the same, of nodes that attachments hold
    stats: null, // last message `stats`
    frame: null, // last frame that was drawn
    client: null,
    hand: {client: null, clients: 0},
    mode: 'grab', // grab, orbit, pin, poke, cut, carve
    draw: 'surface', // surface, mesh, tets, points
    colour: 'none',
    fixedTop: 0, // value of the last colour; 0 means as the scene says
    selected: null, // {body, vertex}
    held: null, // what this page's hand holds: {kind, body, vertex, node, anchor, target}
    notices: [],
    player: null, // reports: {playing, index, count}

    send: () => false, // to the engine; live only

    on(name, listener) {
      if (!listeners.has(name)) listeners.set(name, []);
      listeners.get(name).push(listener);
    },
    emit(name, ...values) {
      for (const listener of listeners.get(name) ?? []) listener(...values);
    },
    setStatus(status, text = '') {
      this.status = status;
      this.emit('status', status, text);
    },
    notify(level, text) {
      this.notices.push(text);
      if (this.notices.length > 50) this.notices.shift();
      this.emit('notice', {level, text});
    },

    // Whether this page may act: it holds the hand, or nobody does and it can take it.
    mayAct() {
      return this.source === 'live' && this.status === 'ready' &&
             (this.hand.client === null || this.hand.client === this.client);
    },
    command(message) {
      if (!this.mayAct()) {
        if (this.source === 'live') this.emit('refused');
        return false;
      }
      if (this.hand.client === null) this.send({do: 'take'});
      return this.send(message);
    },
    act(event) {
      return this.command({do: 'act', event});
    },
  };
}
