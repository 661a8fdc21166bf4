// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The camera: turned and moved by hand, fitted to the scene, or where the scene says.

import {PerspectiveCamera, Vector3} from 'three';
import {OrbitControls} from 'three/addons/controls/OrbitControls.js';

export function createCamera(canvas, redraw) {
  const camera = new PerspectiveCamera(40, 1, 0.01, 1000);
  camera.position.set(1, 0.8, 2);
  const point = new Vector3();
  const controls = new OrbitControls(camera, canvas);
  controls.enableDamping = true;
  controls.dampingFactor = 0.18;
  controls.zoomSpeed = 1.2;
  controls.addEventListener('change', redraw);

  let own = false; // whether somebody chose where it stands

  function setRange(radius) {
    camera.near = Math.max(radius / 500, 1e-5);
    camera.far = radius * 200;
    controls.minDistance = radius / 50;
    controls.maxDistance = radius * 50;
    camera.updateProjectionMatrix();
  }

  // Looks at the whole sphere from where it stands, in the same direction
  function fit({middle, radius}, direction = null) {
    const back = direction ?? camera.position.clone().sub(controls.target);
    if (back.lengthSq() === 0) back.set(0.4, 0.35, 1);
    const half = (camera.fov * Math.PI) / 360;
    const narrow = Math.atan(Math.tan(half) * Math.min(1, camera.aspect));
    controls.target.copy(middle);
    camera.position.copy(middle).addScaledVector(back.normalize(), (1.08 * radius) / Math.sin(narrow));
    setRange(radius);
    controls.update();
    redraw();
  }

  function sees(corners) {
    camera.updateMatrixWorld();
    return corners.every((corner) => {
      point.copy(corner).project(camera);
      return Math.abs(point.x) < 0.95 && point.y < 0.9 && point.y > -0.78 && point.z < 1; // the bar is below
    });
  }

  // At the start: the scene's own camera, or a view from the front, a little from above
  function place(bounds, wish) {
    own = Boolean(wish);
    camera.up.set(0, 1, 0);
    camera.fov = 40;
    if (!wish) {
      fit(bounds, new Vector3(0.42, 0.34, 1));
      return;
    }
    camera.fov = wish.fieldOfView ?? 40;
    camera.up.fromArray(wish.up ?? [0, 1, 0]).normalize();
    camera.position.fromArray(wish.position);
    controls.target.fromArray(wish.target ?? [0, 0, 0]);
    setRange(Math.max(bounds.radius, 0.2 * camera.position.distanceTo(controls.target)));
    controls.update();
    // A tall window sees less to the sides than the scene's author did: back off until all is in the picture, but not
    // for what the author left out
    const most = Math.ceil(Math.log(1.2 * Math.max(1, 1.6 / camera.aspect)) / Math.log(1.06));
    for (let i = 0; i < most && !sees(bounds.corners); ++i) {
      camera.position.sub(controls.target).multiplyScalar(1.06).add(controls.target);
      controls.update();
    }
    redraw();
  }

  function turn(across, up) {
    own = true;
    const offset = camera.position.clone().sub(controls.target);
    offset.applyAxisAngle(camera.up, across);
    const side = new Vector3().crossVectors(camera.up, offset).normalize();
    const turned = offset.clone().applyAxisAngle(side, up);
    if (turned.angleTo(camera.up) > 0.05 && turned.angleTo(camera.up) < Math.PI - 0.05) offset.copy(turned);
    camera.position.copy(controls.target).add(offset);
    controls.update();
    redraw();
  }

  // Until somebody moves the camera it steps back from bodies that leave the picture, a little with every picture
  controls.addEventListener('start', () => (own = true));
  function follow(bounds) {
    const distance = camera.position.distanceTo(controls.target);
    if (own || distance > 4 * bounds.radius / Math.tan((camera.fov * Math.PI) / 360) || sees(bounds.corners)) return;
    const step = point.copy(bounds.middle).sub(controls.target).multiplyScalar(0.04).clone();
    controls.target.add(step);
    camera.position.add(step).sub(controls.target).multiplyScalar(1.01).add(controls.target);
    controls.update();
  }

  return {camera, controls, fit, place, turn, follow};
}
