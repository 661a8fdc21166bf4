// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// window.souple: what tests may know, as plain data. docs/page_inside.md describes every key.

export function createHooks(app, view3d, hand, plots) {
  const bodyView = (body) => {
    const view = view3d?.bodies.views[body];
    return view?.topology ? view : null;
  };

  function vertex(body, index) {
    const view = bodyView(body);
    if (!view || !(index >= 0 && index < view.topology.vertexCount)) return null;
    const world = [0, 1, 2].map((k) => view.positions[3 * index + k]);
    return {world, screen: view3d.toScreen(world), node: view.topology.vertexNodes[index], vertex: index};
  }

  function centre(body) {
    const view = bodyView(body);
    if (!view) return null;
    const points = Array.from({length: view.topology.vertexCount}, (_, i) => vertex(body, i).screen);
    const middle = [0, 1].map((k) => (Math.min(...points.map((p) => p[k])) + Math.max(...points.map((p) => p[k]))) / 2);
    const order = points.map((p, i) => [Math.hypot(p[0] - middle[0], p[1] - middle[1]), i]).sort((a, b) => a[0] - b[0]);
    for (const [, i] of order.slice(0, 200)) {
      const hit = hand?.pick(...points[i], 2);
      if (hit && hit.body === body && hit.vertex === i) return vertex(body, i);
    }
    return vertex(body, order[0][1]);
  }

  window.souple = {
    state: () => ({
      source: app.source, status: app.status, connected: app.source === 'live' && app.status === 'ready',
      scene: app.scene?.name ?? null, serial: app.scene?.serial ?? null,
      frame: app.frame?.number ?? null, step: app.frame?.step ?? null, time: app.frame?.time ?? null,
      drawn: view3d?.drawn ?? 0, framesPerSecond: view3d?.framesPerSecond() ?? 0, quality: view3d?.quality ?? null, still: view3d?.still ?? true, script: view3d?.scriptTime() ?? null,
      paused: app.paused ?? false, playing: app.player?.playing ?? false, frames: app.player?.count ?? 0,
      speed: app.stats?.speed ?? 1, ratio: app.stats?.ratio ?? null, // as the engine confirmed
      mode: app.mode, draw: app.draw, colour: app.shownColour ?? 'none', top: app.top ?? null,
      client: app.client, handClient: app.hand.client, handMine: app.client !== null && app.hand.client === app.client,
      clients: app.hand.clients,
      grab: app.held?.kind === 'grab'
        ? {body: app.held.body, node: app.held.node, vertex: app.held.vertex, force: app.held.force,
           patch: app.held.patch, point: app.held.point ?? null, target: app.held.target} : null,
      selected: app.selected
        ? {...app.selected, node: bodyView(app.selected.body)?.topology.vertexNodes[app.selected.vertex] ?? null} : null,
      bodies: (app.scene?.bodies ?? []).map((body, i) => ({
        name: body.name, nodes: body.nodes, vertices: bodyView(i)?.topology.vertexCount ?? 0,
        triangles: bodyView(i)?.topology.triangleCount ?? 0,
        bare: bodyView(i)?.topology.bare?.reduce((sum, one) => sum + one, 0) ?? 0, pins: [...(app.pins[i] ?? [])],
      })),
      arrows: view3d?.arrows.state() ?? null, links: app.links.map((nodes) => [...nodes]),
      states: app.scene?.states ?? [], settings: app.settingValues?.() ?? [], notices: [...app.notices],
      dark: document.documentElement.dataset.theme === 'dark',
    }),
    vertex, centre,
    values: (body) => bodyView(body)?.values.slice() ?? null,
    creases: (body) => bodyView(body)?.skin?.source.length ?? null,
    pick: (x, y) => hand?.pick(x, y) ?? null,
    plots: () => plots.list(),
    csv: (id) => plots.csv(id),
    sceneText: () => app.sceneText?.() ?? null,
  };
}
