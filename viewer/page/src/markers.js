// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What is drawn on top of bodies: pinned nodes, those that attachments hold, the chosen point, the hands with their forces, a
// preview of the tool.

import {
  BufferAttribute, BufferGeometry, DynamicDrawUsage, Group, Line, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial,
  Points, SphereGeometry, Vector3,
} from 'three';
import {dotMaterial} from './dots.js';
import {h} from './dom.js';
import {withUnit} from './format.js';

const room = 4096; // pins that are drawn at most
const manyDots = 24; // more than these are drawn smaller
const handRoom = 64;
const trailRoom = 1200; // places of a node that are remembered

function dynamicPoints(count, material, Type = Points) {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * count), 3).setUsage(DynamicDrawUsage));
  geometry.setDrawRange(0, 0);
  const object = new Type(geometry, material);
  object.frustumCulled = false;
  return object;
}

export function createMarkers(app, bodies) {
  const group = new Group();
  const pins = dynamicPoints(room, dotMaterial('#1a2230', '#ffffff', 10, 'square'));
  const links = dynamicPoints(room, dotMaterial('#2f7d4f', '#ffffff', 13, 'diamond'));
  pins.dotSize = 10;
  links.dotSize = 13;
  const trail = dynamicPoints(trailRoom, new LineBasicMaterial({color: 0xd81b60}), Line);
  let trailShown = false;
  let trailOf = null;
  let trailCount = 0;
  const chosen = dynamicPoints(1, dotMaterial('#ffffff', '#1769d2', 15));
  const hands = dynamicPoints(2 * handRoom, dotMaterial('#ffd166', '#5b4300', 11));
  const lines = dynamicPoints(2 * handRoom, new LineBasicMaterial({color: 0xe8a800}), LineSegments);
  const preview = new Mesh(new SphereGeometry(1, 32, 20),
                           new MeshBasicMaterial({color: 0xe0b040, transparent: true, opacity: 0.3, depthWrite: false}));
  preview.visible = false;
  for (const object of [chosen, hands, lines]) {
    object.material.depthTest = false; // a hand is seen through the body
    object.renderOrder = 10;
  }
  group.add(pins, links, trail, chosen, hands, lines, preview);
  const labels = h('div', {class: 'hand-labels', 'aria-hidden': 'true'});
  document.getElementById('stage').append(labels);
  const place = new Vector3();

  function vertexPosition(view, vertex, out, at) {
    for (let k = 0; k < 3; ++k) out[at + k] = view.positions[3 * vertex + k];
  }

  function updateNodes(object, nodes) {
    const attribute = object.geometry.attributes.position;
    let count = 0;
    for (const view of bodies.visible()) {
      for (const node of nodes[view.index] ?? []) {
        const vertex = view.nodeVertex[node] ?? -1;
        if (count === room) break;
        if (vertex >= 0) vertexPosition(view, vertex, attribute.array, 3 * count++);
      }
    }
    object.material.uniforms.size.value = count > manyDots ? 0.5 * object.dotSize : object.dotSize;
    object.geometry.setDrawRange(0, count);
    attribute.needsUpdate = true;
  }

  function updateChosen() {
    const view = app.selected && bodies.views[app.selected.body];
    const there = Boolean(view?.topology) && app.selected.vertex < view.topology.vertexCount;
    if (there) vertexPosition(view, app.selected.vertex, chosen.geometry.attributes.position.array, 0);
    chosen.geometry.attributes.position.needsUpdate = true;
    chosen.geometry.setDrawRange(0, there ? 1 : 0);
  }

  // Where the chosen node has been
  function updateTrail(frame) {
    const target = app.probe ? {body: app.probe.body, vertex: bodies.views[app.probe.body]?.nodeVertex[app.probe.node] ?? -1} : app.selected;
    const view = trailShown && target ? bodies.views[target.body] : null;
    const name = view?.topology && target.vertex >= 0 ? `${app.scene.serial} ${target.body} ${target.vertex}` : null;
    if (name !== trailOf || name === null) trailCount = 0;
    trailOf = name;
    if (name !== null) {
      const attribute = trail.geometry.attributes.position;
      if (trailCount === trailRoom) {
        attribute.array.copyWithin(0, 3 * (trailRoom / 2));
        trailCount = trailRoom / 2;
      }
      vertexPosition(view, target.vertex, attribute.array, 3 * trailCount++);
      attribute.needsUpdate = true;
    }
    trail.geometry.setDrawRange(0, trailCount);
    return frame;
  }
  app.on('shown', updateTrail);

  // Hands of the frame; the own one is drawn from the moment it grabs, before the engine has answered
  function handsNow() {
    const list = [...(app.frame?.hands ?? [])].slice(0, handRoom - 1);
    const held = app.held;
    if (held?.kind === 'grab') {
      held.force = null;
      // Those that came since it grabbed are its rings: one hand in the picture
      const own = list.filter((hand) => hand.body === held.body).slice(held.others);
      const force = own.reduce((sum, hand) => sum.map((x, k) => x + hand.force[k]), [0, 0, 0]);
      const view = bodies.views[held.body];
      const point = view?.topology ? [0, 1, 2].map((k) => view.positions[3 * held.vertex + k]) : held.target;
      if (own.length > 0) {
        held.force = Math.hypot(...force);
        held.point = point;
      }
      return [...list.filter((hand) => !own.includes(hand)),
              {body: held.body, point, target: held.target, force: own.length > 0 ? force : null}];
    }
    return list;
  }

  function updateHands(camera, canvas) {
    const list = handsNow();
    const points = hands.geometry.attributes.position;
    list.forEach((hand, i) => {
      points.array.set(hand.point, 6 * i);
      points.array.set(hand.target, 6 * i + 3);
    });
    lines.geometry.attributes.position.array.set(points.array);
    for (const object of [hands, lines]) {
      object.geometry.setDrawRange(0, 2 * list.length);
      object.geometry.attributes.position.needsUpdate = true;
    }
    while (labels.children.length > list.length) labels.lastChild.remove();
    while (labels.children.length < list.length) labels.append(h('div', {class: 'hand-label'}));
    list.forEach((hand, i) => {
      const label = labels.children[i];
      place.fromArray(hand.target).project(camera);
      const x = (0.5 + 0.5 * place.x) * canvas.clientWidth;
      const y = (0.5 - 0.5 * place.y) * canvas.clientHeight;
      label.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(14px, -50%)`;
      label.hidden = place.z > 1 || hand.force === null;
      if (hand.force) label.textContent = withUnit(Math.hypot(...hand.force), 'N');
    });
  }

  return {
    group, preview,
    setTrail(there) {
      trailShown = there;
    },
    update(camera, canvas) {
      updateNodes(pins, app.pins);
      updateNodes(links, app.links);
      updateChosen();
      updateHands(camera, canvas);
    },
  };
}
