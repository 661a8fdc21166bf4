// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The 3D view. A picture is drawn when a frame came or the camera moved, never otherwise: a page at rest costs nothing.

import {Box3, Color, PCFShadowMap, Plane, Scene, Vector3, WebGLRenderer} from 'three';
import {createBodies} from './bodies.js';
import {pixelRatio} from './dots.js';
import {createCamera} from './camera.js';
import {createColliders} from './colliders.js';
import {createLights} from './lights.js';
import {createArrows} from './arrows.js';
import {createMarkers} from './markers.js';
import {floorShade} from './material.js';
import {createQuality} from './quality.js';
import {isDark} from './theme.js';

export function createScene3d(app, canvas) {
  let renderer;
  try {
    renderer = new WebGLRenderer({canvas, antialias: !isSoftware(), alpha: true, powerPreference: 'high-performance'});
  } catch {
    return null; // no WebGL: the rest of the page goes on without
  }
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = PCFShadowMap;
  renderer.setClearColor(0, 0); // the background is the page's
  renderer.localClippingEnabled = true;

  const scene = new Scene();
  const {camera, controls, fit, place, turn, follow} = createCamera(canvas, redraw);
  const bodies = createBodies(app);
  const colliders = createColliders();
  const lights = createLights(camera);
  const markers = createMarkers(app, bodies);
  const arrows = createArrows(app);
  scene.add(bodies.group, colliders.group, lights.group, markers.group, arrows.group);

  const box = new Box3();
  const middle = new Vector3();
  const fitted = {middle: new Vector3(), radius: 0}; // what lights and ground were made for
  const scriptTimes = new Float64Array(64); // what frames cost beside drawing, ms; 0 where there was none yet
  const times = []; // of the last pictures, ms
  let pending = false;
  let asked = 0;
  let placed = false; // whether the camera has its place in this scene
  let motion = null; // room of the whole motion, where it is known
  let next = null; // frame that waits for the next picture
  let drawn = 0;
  let takes = null; // who wants the next picture as a file
  let look = null; // clip plane, opacity, trail
  const clip = new Plane();

  // Without a graphics card edges are not smoothed; a picture that stays can afford more pixels instead
  const still = isSoftware() ? {ratio: 1.5, shadow: 1024} : null;
  const quality = createQuality((level) => {
    pixelRatio.value = level === still ? level.ratio * devicePixelRatio : Math.min(devicePixelRatio, level.ratio);
    lights.setShadow(level.shadow);
    resize();
  }, redraw, () => (app.source === 'live' ? app.paused : !app.player?.playing), isSoftware() ? 2 : 0, still);

  function isSoftware() {
    const gl = renderer?.getContext() ?? document.createElement('canvas').getContext('webgl2');
    const info = gl?.getExtension('WEBGL_debug_renderer_info');
    const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : '';
    return /swiftshader|llvmpipe|software/i.test(name);
  }

  function resize() {
    const {clientWidth, clientHeight} = canvas.parentElement;
    if (clientWidth === 0 || clientHeight === 0) return;
    renderer.setDrawingBufferSize(clientWidth, clientHeight, pixelRatio.value);
    camera.aspect = clientWidth / clientHeight;
    camera.updateProjectionMatrix();
    redraw();
  }

  function redraw() {
    if (pending) return;
    pending = true;
    const begin = () => {
      asked = performance.now();
      requestAnimationFrame(picture);
    };
    const breath = quality.breath();
    if (breath > 0) setTimeout(begin, breath);
    else begin();
  }

  function bounds() {
    box.makeEmpty();
    for (const view of bodies.visible()) {
      box.expandByPoint(middle.fromArray(view.lower));
      box.expandByPoint(middle.fromArray(view.upper));
    }
    for (const solid of colliders.solids()) box.expandByObject(solid);
    if (box.isEmpty()) box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
    return room();
  }

  // The box as a sphere and its corners
  function room() {
    const {min, max} = box;
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) =>
      new Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z));
    const radius = Math.max(0.5 * box.getSize(middle).length(), 1e-4);
    return {middle: box.getCenter(new Vector3()), radius, corners, lowest: min.y};
  }

  // Lights and ground follow only when bodies have left their room or shrunk a lot, so that shadows stand still
  function fitRoom(now) {
    const away = now.middle.distanceTo(fitted.middle) + now.radius;
    if (fitted.radius > 0 && away < 1.25 * fitted.radius && now.radius > 0.4 * fitted.radius) return;
    fitted.middle.copy(now.middle);
    fitted.radius = 1.15 * now.radius;
    lights.fit(fitted.middle, fitted.radius);
    const grounds = colliders.planes();
    for (const ground of grounds) {
      ground.updateMatrixWorld(true);
      ground.fit(fitted.middle, fitted.radius, isDark());
    }
    floorShade.height.value = Math.max(-1e9, ...grounds.map((ground) => ground.position.y).filter((y) => y <= now.lowest + now.radius));
    floorShade.reach.value = 0.5 * now.radius;
  }

  // What hangs will sink, where nothing holds it from below
  function roomBelow(now) {
    if (colliders.planes().length > 0) return now;
    return {...now, middle: now.middle.clone().setY(now.middle.y - 0.3 * now.radius), radius: 1.2 * now.radius};
  }

  // False when the frame makes no sense: then the last picture stays
  function showFrame(frame) {
    try {
      bodies.show(frame);
      colliders.show(frame);
      return true;
    } catch (error) {
      app.notify('error', `This frame cannot be shown: ${error.message}.`);
      return false;
    }
  }

  // The clip plane follows what the bodies fill
  function applyLook(now) {
    if (!look) return;
    const k = ['x', 'y', 'z'].indexOf(look.axis);
    if (k >= 0) {
      clip.normal.set(0, 0, 0).setComponent(k, -1);
      const low = now.corners[0].getComponent(k);
      clip.constant = low + look.share * (now.corners[7].getComponent(k) - low);
    }
    bodies.setLook(k >= 0 ? [clip] : null, look.opacity);
    bodies.setMade(look.made);
    markers.setTrail(look.trail);
    arrows.show(look.arrows ? app.frame?.contacts : null, now.radius);
  }

  function picture() {
    pending = false;
    const began = performance.now();
    const frame = next;
    next = null;
    if (frame !== null && showFrame(frame)) {
      const now = bounds();
      app.frame = frame;
      fitRoom(now);
      applyLook(now);
      if (!placed && frame.bodies.length > 0) {
        place(motion ?? roomBelow(now), app.scene?.camera);
        placed = true;
      } else if (app.source === 'live' && app.held === null && !app.rewinding) {
        follow(now);
      }
    }
    const shown = performance.now();
    const gliding = controls.update();
    if (frame !== null || gliding) quality.move();
    if (gliding) redraw();
    lights.follow(controls.target);
    markers.update(camera, canvas);
    arrows.measure(canvas.clientHeight / (2 * Math.tan((camera.fov * Math.PI) / 360) * camera.position.distanceTo(controls.target)));
    if (frame !== null) for (const ground of colliders.planes()) ground.drawNear(renderer, scene);
    renderer.render(scene, camera);
    takes?.();
    ++drawn;
    if (frame !== null) scriptTimes[drawn % scriptTimes.length] = (app.decodeTime ?? 0) + shown - began;
    const end = performance.now();
    times.push(end);
    while (times[0] < end - 1000) times.shift();
    quality.note(end - Math.min(began, asked));
    if (frame !== null) app.emit('shown', frame);
    app.emit('picture');
  }

  app.on('theme', () => {
    fitted.radius = 0;
    if (app.frame) {
      next ??= app.frame;
      redraw();
    }
  });
  canvas.addEventListener('webglcontextlost', () => app.notify('warning', 'The graphics card was lost; waiting for it.'));
  canvas.addEventListener('webglcontextrestored', () => {
    if (app.frame) next ??= app.frame;
    redraw();
  });
  new ResizeObserver(resize).observe(canvas.parentElement);
  quality.begin();

  return {
    camera, controls, canvas, bodies, colliders, markers, arrows, redraw, turn,
    show(frame) {
      next = frame;
      redraw();
    },
    // A new scene; one that is only loaded again keeps the camera
    setScene(message, same) {
      next = null;
      app.frame = null;
      bodies.clear();
      colliders.setScene(message.colliders ?? []);
      fitted.radius = 0;
      if (!same) placed = false;
      quality.restart();
      redraw();
    },
    // Frames spread over a whole recording
    setMotion(frames) {
      box.makeEmpty();
      for (const part of frames.flatMap((frame) => frame.bodies)) {
        if (part.count === 0) continue;
        box.expandByPoint(middle.fromArray(part.corner));
        box.expandByPoint(middle.fromArray(part.corner.map((x, i) => x + part.size[i])));
      }
      if (box.isEmpty()) return;
      motion = room();
    },
    fit() {
      fit(bounds());
    },
    look(direction) {
      fit(bounds(), new Vector3().fromArray(direction));
    },
    setLook(next) {
      look = next;
      applyLook(bounds());
      redraw();
    },
    // Films and pictures have a background of their own
    setBackdrop(there) {
      const colour = getComputedStyle(document.documentElement).getPropertyValue('--sky').trim();
      renderer.setClearColor(there ? new Color(colour) : new Color(0), there ? 1 : 0);
      redraw();
    },
    takePicture(done) {
      takes = () => {
        takes = null;
        canvas.toBlob((blob) => {
          this.setBackdrop(false);
          done(blob);
        });
      };
      this.setBackdrop(true);
    },
    bounds,
    toScreen(point) {
      const rect = canvas.getBoundingClientRect();
      const p = middle.fromArray(point).project(camera);
      return [rect.left + (0.5 + 0.5 * p.x) * rect.width, rect.top + (0.5 - 0.5 * p.y) * rect.height];
    },
    // Nothing will be drawn unless something happens
    get still() {
      return !pending && next === null && !quality.waiting;
    },
    get quality() {
      return quality.level;
    },
    // The middle one of the last frames, and the least, ms
    scriptTime() {
      const list = [...scriptTimes].filter((t) => t > 0).sort((a, b) => a - b);
      return {median: list[list.length >> 1] ?? 0, least: list[0] ?? 0};
    },
    get drawn() {
      return drawn;
    },
    framesPerSecond() {
      const now = performance.now();
      return times.filter((t) => t > now - 1000).length;
    },
  };
}
