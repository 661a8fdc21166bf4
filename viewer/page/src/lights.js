// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Light of a calm room: sky and ground, one lamp that casts shadows and is fitted to what the bodies fill, and a weak one
// at the camera that keeps dark sides readable.

import {DirectionalLight, Group, HemisphereLight, Vector3} from 'three';

export const lampDirection = new Vector3(-0.5, 1, 0.55).normalize();

export function createLights(camera) {
  const group = new Group();
  const sky = new HemisphereLight(0xf6f9ff, 0xb4aca4, 1.75);
  const lamp = new DirectionalLight(0xfff4e4, 1.75);
  lamp.castShadow = true;
  lamp.shadow.bias = -0.0004;
  lamp.shadow.radius = 5;
  const front = new DirectionalLight(0xffffff, 0.25);
  group.add(sky, lamp, lamp.target, front, front.target);

  function fit(middle, radius) {
    lamp.target.position.copy(middle);
    lamp.position.copy(middle).addScaledVector(lampDirection, 4 * radius);
    const box = lamp.shadow.camera;
    box.left = box.bottom = -1.35 * radius;
    box.right = box.top = 1.35 * radius;
    box.near = 0.5 * radius;
    box.far = 12 * radius;
    lamp.shadow.normalBias = 0.012 * radius;
    box.updateProjectionMatrix();
  }

  function follow(target) {
    front.position.copy(camera.position);
    front.target.position.copy(target);
  }

  function setShadow(size) {
    if (lamp.shadow.mapSize.x === size) return;
    lamp.shadow.mapSize.set(size, size);
    lamp.shadow.map?.dispose();
    lamp.shadow.map = null;
  }

  return {group, fit, follow, setShadow};
}
