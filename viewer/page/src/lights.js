// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Light of a calm room: sky and ground, one lamp that casts shadows and is fitted to what the bodies fill, and a weak one
// at the camera that keeps dark sides readable.

import {DirectionalLight, Group, HemisphereLight, Vector3} from 'three';

const direction = new Vector3(0.45, 1, 0.55).normalize();

export function createLights(camera) {
  const group = new Group();
  const sky = new HemisphereLight(0xf4f8ff, 0x8f8880, 1.1);
  const lamp = new DirectionalLight(0xfff6e8, 2.3);
  lamp.castShadow = true;
  lamp.shadow.bias = -0.0004;
  lamp.shadow.radius = 4;
  const front = new DirectionalLight(0xffffff, 0.4);
  group.add(sky, lamp, lamp.target, front, front.target);

  function fit(middle, radius) {
    lamp.target.position.copy(middle);
    lamp.position.copy(middle).addScaledVector(direction, 4 * radius);
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
