// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The hand: grabs a point of a body, pins it, pokes with a sphere, cuts along the view, carves with a sphere. Pointer and keyboard end in the same few actions;
// the engine hears of a motion at most once for each picture.

import {MOUSE, TOUCH, Vector3} from 'three';
import {oncePerPicture} from './dom.js';
import {findPatch} from './patch.js';
import {createPick} from './pick.js';

const ringNames = ['hand', 'hand, second ring', 'hand, third ring'];
const clickRoom = 5; // pixels that a pointer may move and still click
const sinkTime = 450; // ms in which the pressed tool goes into the surface

export function createHand(app, view3d) {
  const {canvas, camera, controls} = view3d;
  const stage = canvas.parentElement;
  const {pick, onPlane, through} = createPick(view3d);
  const away = new Vector3();
  let pointer = null; // id of the pointer that holds something
  let start = null; // where it went down
  let press = null; // for clicks in pin mode

  app.grabStiffness = 200; // N/m
  app.toolRadius = 0.05; // m
  app.grabRadius = 0.05; // m

  const bodyName = (index) => app.scene.bodies[index]?.name;
  const vertexPoint = ({body, vertex}) => {
    const {positions} = view3d.bodies.views[body];
    return new Vector3(positions[3 * vertex], positions[3 * vertex + 1], positions[3 * vertex + 2]);
  };
  const node = ({body, vertex}) => view3d.bodies.views[body].topology.vertexNodes[vertex];

  // ---- Actions

  function grab(target) {
    const rings = findPatch(view3d.bodies.views[target.body], target.vertex, app.grabRadius, app.grabStiffness,
                            app.pins[target.body]);
    const sent = rings.every(({nodes, stiffness}, i) => app.act({
      type: 'grab', name: ringNames[i], body: bodyName(target.body), nodes: {nodes}, stiffness,
    }));
    if (!sent) return false;
    const point = vertexPoint(target);
    app.held = {kind: 'grab', body: target.body, vertex: target.vertex, node: node(target), anchor: point,
                target: point.toArray(), force: null, rings: rings.length, patch: rings.reduce((sum, ring) => sum + ring.nodes.length, 0),
                others: (app.frame?.hands ?? []).filter((hand) => hand.body === target.body).length};
    app.selected = {body: target.body, vertex: target.vertex};
    app.emit('held');
    view3d.redraw();
    return true;
  }

  const sendMove = oncePerPicture(() => {
    const held = app.held;
    if (held?.kind === 'grab') {
      const offset = held.target.map((x, i) => x - held.anchor.getComponent(i));
      for (let i = 0; i < held.rings; ++i) app.act({type: 'move', grab: ringNames[i], offset});
    } else if (held?.kind === 'poke') {
      app.act({type: 'poke', position: held.target, radius: app.toolRadius});
    } else if (held?.kind === 'carve') {
      app.act({type: 'carve', body: bodyName(held.body), sphere: {center: held.target, radius: app.toolRadius}});
    } else if (held?.kind === 'cut') {
      sendCut(held);
    }
  });

  // The edge of the blade is the ray through the pixel: it cuts what it swept since the last picture
  function sendCut(held) {
    const edge = ([a, b]) => ({a, b});
    app.act({type: 'cut', body: bodyName(held.body), from: edge(held.edge), to: edge(held.next), follows: held.begun});
    held.edge = held.next;
    held.begun = true;
  }

  function moveTo(point) {
    app.held.target = point.toArray();
    sendMove();
    view3d.redraw();
  }

  function letGo() {
    const held = app.held;
    if (held === null) return;
    app.held = null;
    if (held.kind === 'poke') app.act({type: 'lift'});
    for (let i = 0; i < (held.rings ?? 0); ++i) app.act({type: 'release', grab: ringNames[i]});
    pointer = null;
    controls.enabled = true;
    app.emit('held');
    view3d.redraw();
  }

  function togglePin(target) {
    const pinned = app.pins[target.body]?.has(node(target));
    app.act({type: pinned ? 'free' : 'pin', body: bodyName(target.body), nodes: {nodes: [node(target)]}});
    app.selected = {body: target.body, vertex: target.vertex};
    view3d.redraw();
  }

  function poke(point) {
    if (!app.mayAct()) {
      app.emit('refused');
      return false;
    }
    app.held = {kind: 'poke', anchor: point.clone(), target: point.toArray()};
    view3d.markers.preview.visible = false;
    app.emit('held');
    sendMove();
    return true;
  }

  // Takes a blade or a carver to a body
  function edit(kind, hit, x, y) {
    if (!app.mayAct()) {
      app.emit('refused');
      return false;
    }
    app.held = {kind, body: hit.body, anchor: new Vector3().fromArray(hit.point), target: hit.point, edge: through(x, y)};
    app.held.next = app.held.edge;
    view3d.markers.preview.visible = false;
    app.emit('held');
    sendMove();
    return true;
  }

  // ---- Pointer

  // Where the tool lies when it touches what is under the pixel
  function toolPlace(x, y, hit) {
    const through = hit ? new Vector3().fromArray(hit.point) : controls.target;
    const point = onPlane(x, y, through);
    if (point && hit) point.addScaledVector(camera.getWorldDirection(away), -app.toolRadius);
    return point;
  }

  function down(event) {
    if (pointer !== null || event.button !== 0 || event.target !== canvas) return;
    canvas.focus({preventScroll: true});
    press = {x: event.clientX, y: event.clientY};
    if (app.source !== 'live' || app.mode === 'orbit' || app.mode === 'pin') return;
    const hit = pick(event.clientX, event.clientY, event.pointerType === 'touch' ? 18 : 0);
    if (app.mode === 'grab') {
      if (!hit || !grab(hit)) return;
      start = onPlane(event.clientX, event.clientY, app.held.anchor);
    } else if (app.mode === 'cut' || app.mode === 'carve') {
      // A blade may begin beside a body: the one that is nearest to it is meant
      const target = hit ?? (app.mode === 'cut' ? pick(event.clientX, event.clientY, 400) : null);
      if (!target || !edit(app.mode, target, event.clientX, event.clientY)) return;
      start = app.held.anchor.clone();
    } else {
      const point = toolPlace(event.clientX, event.clientY, hit);
      if (!point || !poke(point)) return;
      start = point.clone();
      if (hit) sink(performance.now());
    }
    pointer = event.pointerId;
    canvas.setPointerCapture(pointer);
    controls.enabled = false;
    event.stopImmediatePropagation();
    event.preventDefault();
  }

  // A tool that is pressed on a body goes into it
  function sink(since) {
    let done = 0;
    const step = (now) => {
      if (app.held?.kind !== 'poke') return;
      const part = Math.min(1, Math.max(0, now - since) / sinkTime);
      const forward = camera.getWorldDirection(new Vector3()).multiplyScalar((part - done) * 1.2 * app.toolRadius);
      done = part;
      start.add(forward);
      moveTo(new Vector3().fromArray(app.held.target).add(forward));
      if (part < 1) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  function move(event) {
    if (event.pointerId === pointer && app.held) {
      const point = onPlane(event.clientX, event.clientY, app.held.kind === 'grab' ? app.held.anchor : start);
      if (!point) return;
      app.held.next = through(event.clientX, event.clientY);
      moveTo(app.held.kind === 'grab' ? point.sub(start).add(app.held.anchor) : point);
      event.stopImmediatePropagation();
    } else if (event.pointerType !== 'touch' && event.buttons === 0 && event.target === canvas) {
      hover(event.clientX, event.clientY);
    }
  }

  const hover = oncePerPicture((x, y) => {
    const {preview} = view3d.markers;
    const wasVisible = preview.visible;
    preview.visible = false;
    if (app.source !== 'live' || app.mode === 'orbit' || app.held) {
      canvas.style.cursor = '';
    } else {
      const hit = pick(x, y);
      app.emit('hover', hit && {body: hit.body, node: hit.node, x, y});
      canvas.style.cursor = ['poke', 'cut', 'carve'].includes(app.mode) ? 'crosshair' : hit ? (app.mode === 'pin' ? 'pointer' : 'grab') : '';
      const point = app.mode === 'poke' ? toolPlace(x, y, hit) : app.mode === 'carve' && hit ? new Vector3().fromArray(hit.point) : null;
      if (point) {
        preview.visible = true;
        preview.position.copy(point);
        preview.scale.setScalar(app.toolRadius);
      }
    }
    if (preview.visible || wasVisible) view3d.redraw();
  });

  function up(event) {
    if (event.pointerId === pointer) {
      const still = press && Math.hypot(event.clientX - press.x, event.clientY - press.y) < clickRoom;
      if (still && app.held?.kind === 'grab') app.emit('probe', {body: app.held.body, node: app.held.node});
      letGo();
      event.stopImmediatePropagation();
    } else if (press && event.type === 'pointerup' && app.source === 'live') {
      const still = Math.hypot(event.clientX - press.x, event.clientY - press.y) < clickRoom;
      if (still && app.mode === 'pin') {
        const hit = pick(event.clientX, event.clientY, 12);
        if (hit) togglePin(hit);
      } else if (still && app.mode === 'grab') {
        app.selected = null; // a click beside bodies
        view3d.redraw();
      }
    }
    press = null;
  }

  stage.addEventListener('pointerdown', down, true);
  stage.addEventListener('pointermove', move, true);
  stage.addEventListener('pointerup', up, true);
  stage.addEventListener('pointercancel', up, true);
  canvas.addEventListener('lostpointercapture', up);
  addEventListener('blur', letGo);
  canvas.addEventListener('pointerleave', () => {
    app.emit('hover', null);
    if (!view3d.markers.preview.visible) return;
    view3d.markers.preview.visible = false;
    view3d.redraw();
  });

  // The wheel makes the tool larger, or pushes it away and pulls it while it pokes
  stage.addEventListener('wheel', (event) => {
    if ((app.mode !== 'poke' && app.mode !== 'carve') || app.source !== 'live' || event.ctrlKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (app.held?.kind === 'poke') {
      shift(new Vector3(0, 0, Math.sign(-event.deltaY)), 0.25 * app.toolRadius);
    } else {
      app.setToolRadius(app.toolRadius * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
      hover(event.clientX, event.clientY);
    }
  }, {capture: true, passive: false});

  app.on('mode', () => {
    letGo();
    const poking = ['poke', 'cut', 'carve'].includes(app.mode) && app.source === 'live';
    // The left button belongs to the tool; the right one turns the camera then
    controls.mouseButtons = {LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.DOLLY, RIGHT: poking ? MOUSE.ROTATE : MOUSE.PAN};
    controls.touches = {ONE: TOUCH.ROTATE, TWO: poking ? TOUCH.DOLLY_ROTATE : TOUCH.DOLLY_PAN};
    view3d.markers.preview.visible = false;
    canvas.style.cursor = '';
    view3d.redraw();
  });
  app.on('status', (status) => {
    if (status !== 'ready') {
      app.held = null;
      pointer = null;
      controls.enabled = true;
    }
  });
  app.on('hand', () => {
    if (app.hand.client !== app.client) app.held = null;
  });

  // ---- Keyboard

  // Moves the hand by a length along right, up and forward of the picture
  function shift(direction, length) {
    const world = direction.clone().setZ(-direction.z).multiplyScalar(length).applyQuaternion(camera.quaternion);
    if (start) start.add(world);
    moveTo(new Vector3().fromArray(app.held.target).add(world));
  }

  // Points spread over the surface of each body: each next one is the farthest from those before
  const spreads = new WeakMap();
  function spread(view) {
    if (spreads.has(view.topology)) return spreads.get(view.topology);
    const count = view.topology.vertexCount;
    const list = [0];
    const distance = new Float32Array(count).fill(Infinity);
    while (list.length < Math.min(count, 32)) {
      const last = 3 * list.at(-1);
      let far = 0;
      for (let v = 0; v < count; ++v) {
        const d = Math.hypot(view.positions[3 * v] - view.positions[last],
                             view.positions[3 * v + 1] - view.positions[last + 1],
                             view.positions[3 * v + 2] - view.positions[last + 2]);
        distance[v] = Math.min(distance[v], d);
        if (distance[v] > distance[far]) far = v;
      }
      if (distance[far] === 0) break;
      list.push(far);
    }
    spreads.set(view.topology, list);
    return list;
  }

  function selectNext(by) {
    const points = view3d.bodies.visible().flatMap((view) => spread(view).map((vertex) => ({body: view.index, vertex})));
    if (points.length === 0) return;
    letGo();
    const now = points.findIndex((p) => p.body === app.selected?.body && p.vertex === app.selected?.vertex);
    app.selected = points[(now + by + (now < 0 && by < 0 ? 1 : 0) + points.length) % points.length];
    app.emit('selected');
    view3d.redraw();
  }

  return {
    pick, letGo, selectNext,
    // Enter: takes the chosen point, or lets go
    toggleHold() {
      if (app.held) return letGo();
      if (!app.selected) return undefined;
      start = null;
      if (app.mode === 'cut' || app.mode === 'carve') return undefined; // with the pointer alone
      if (app.mode !== 'poke') return grab(app.selected);
      const point = vertexPoint(app.selected).addScaledVector(camera.getWorldDirection(away), -app.toolRadius);
      return poke(point);
    },
    pinSelected() {
      if (app.selected) togglePin(app.selected);
    },
    nudge(x, y, z, fine) {
      if (app.selected && !app.held) this.toggleHold();
      if (app.held) shift(new Vector3(x, y, z), view3d.bounds().radius * (fine ? 0.005 : 0.03));
    },
    cancel() {
      letGo();
      app.selected = null;
      view3d.redraw();
    },
  };
}
