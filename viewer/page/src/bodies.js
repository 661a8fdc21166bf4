// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// All bodies of the scene: which topology each has, and the frame that they show.

import {ClampToEdgeWrapping, DataTexture, Group, LinearFilter, SRGBColorSpace} from 'three';
import {BodyView} from './body_view.js';
import {colourTable} from './colormap.js';
import {lookOf} from './material.js';
import {bodyName} from './scene_text.js';
import {isDark} from './theme.js';

export function createBodies(app) {
  const group = new Group();
  const views = [];
  const topologies = new Map(); // by body and version
  const map = new DataTexture(colourTable(), 256, 1);
  map.colorSpace = SRGBColorSpace;
  map.magFilter = LinearFilter;
  map.minFilter = LinearFilter;
  map.wrapS = ClampToEdgeWrapping;
  map.needsUpdate = true;

  function clear() {
    for (const view of views) view?.dispose();
    views.length = 0;
    group.clear();
    topologies.clear();
  }

  // What bodies are made of, by the text of the scene, or as the reader chose
  let made = 'auto';
  let described = new Map();
  function applyMade(view) {
    view.material.setMade(made === 'auto' ? lookOf(described.get(app.scene?.bodies[view.index]?.name)) : made);
  }
  app.on('scene', ({text}) => {
    try {
      described = new Map((JSON.parse(text).bodies ?? []).map((body, i) => [bodyName(body, i), body]));
    } catch {
      described = new Map(); // no text, or not the whole of it
    }
  });

  function addTopology(topology) {
    // Live, the last version is the only one that comes again; a report may go back in time.
    if (app.source === 'live') {
      for (const key of [...topologies.keys()]) if (key.startsWith(`${topology.body}:`)) topologies.delete(key);
    }
    topologies.set(`${topology.body}:${topology.version}`, topology);
  }

  function viewOf(part) {
    const topology = topologies.get(`${part.body}:${part.version}`);
    if (!topology) return null;
    let view = views[part.body];
    if (!view) {
      view = new BodyView(part.body, map);
      view.draw = app.draw;
      applyLook(view);
      applyMade(view);
      views[part.body] = view;
      group.add(view.group);
    }
    if (view.topology !== topology) view.setTopology(topology);
    return view;
  }

  // The colour that a frame can show: live the engine sends one, in a report the reader chooses.
  function colourOf(frame) {
    return app.source === 'report' ? app.colour : frame.colour;
  }

  function topOf(frame) {
    const top = app.source === 'report' ? app.scene?.colours?.[app.colour] : frame.top;
    return top > 0 ? top : 1;
  }

  function show(frame) {
    const colour = colourOf(frame);
    const there = new Set();
    app.colourThere = false;
    for (const part of frame.bodies) {
      const view = viewOf(part);
      if (view === null || part.count === 0) continue;
      view.setPoints(part, colour);
      view.setColoured(colour !== 'none' && part.values[colour] !== undefined, isDark());
      there.add(part.body);
      app.colourThere ||= part.values[colour] !== undefined;
    }
    views.forEach((view, index) => {
      if (view) view.group.visible = there.has(index);
    });
    app.shownColour = colour;
    app.top = app.fixedTop > 0 ? app.fixedTop : topOf(frame);
    map.repeat.x = topOf(frame) / app.top;
  }

  app.on('draw', () => {
    for (const view of views) view?.setDraw(app.draw);
  });

  let clip = null;
  let opacity = 1;
  function applyLook(view) {
    for (const material of [view.material, view.tetMaterial]) {
      if (material.clippingPlanes === clip && material.opacity === opacity) continue;
      material.needsUpdate = (material.clippingPlanes === null) !== (clip === null) || material.transparent !== opacity < 1;
      material.clippingPlanes = clip;
      material.opacity = opacity;
      material.transparent = opacity < 1;
      material.depthWrite = opacity === 1;
    }
  }

  return {
    // Planes that cut bodies open, or null; opacity 0 to 1
    setLook(planes, share) {
      clip = planes === null ? null : (clip ?? planes);
      opacity = share;
      for (const view of views) if (view) applyLook(view);
    },
    setMade(look) {
      made = look;
      for (const view of views) if (view) applyMade(view);
    },
    group, views, addTopology, show, clear,
    visible: () => views.filter((view) => view?.topology && view.group.visible),
    topologies: () => [...topologies.values()],
    hasTets: () => [...topologies.values()].some((topology) => topology.tetCount > 0),
  };
}
