// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Rigid shapes, drawn by their triangles where they have some, else by their type, and the sphere of the poking tool. Planes are the ground: see ground.js.

import {
  BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, CylinderGeometry, FrontSide, Group, Mesh, MeshPhongMaterial,
  SphereGeometry,
} from 'three';
import {createGround} from './ground.js';
import {bodyMaterial} from './material.js';
import {nearLayer} from './near_shadow.js';

const toolIndex = 0xffffffff;

// An array that was sent as base64
function decodeArray(text, Type) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
  return new Type(bytes.buffer);
}

// Triangles of any shape, flat
function makeSurface(surface) {
  const indexed = new BufferGeometry();
  indexed.setAttribute('position', new BufferAttribute(decodeArray(surface.vertices, Float32Array), 3));
  indexed.setIndex(new BufferAttribute(decodeArray(surface.triangles, Uint32Array), 1));
  const geometry = indexed.toNonIndexed();
  geometry.computeVertexNormals();
  return geometry;
}

export function createColliders() {
  const group = new Group();
  // What lies on a collider is drawn before it; of a thin shell not so much that what is behind shows
  const material = bodyMaterial(0xaeb6bf, {side: FrontSide, polygonOffset: true, polygonOffsetFactor: 4, polygonOffsetUnits: 32});
  const surfaceMaterial = bodyMaterial(0xaeb6bf, {polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 2});
  const toolMaterial = new MeshPhongMaterial({color: 0xe0b040, shininess: 40, transparent: true, opacity: 0.85});
  const tool = new Mesh(new SphereGeometry(1, 40, 24), toolMaterial);
  tool.castShadow = true;
  tool.visible = false;
  let objects = [];

  const shapes = {
    plane: () => createGround(),
    sphere: (c) => new Mesh(new SphereGeometry(c.radius ?? 0.5, 48, 32), material),
    box: (c) => {
      const half = c.halfSize ?? [0.5, 0.5, 0.5];
      return new Mesh(new BoxGeometry(2 * half[0], 2 * half[1], 2 * half[2]), material);
    },
    cylinder: (c) => new Mesh(new CylinderGeometry(c.radius ?? 0.5, c.radius ?? 0.5, 2 * (c.halfHeight ?? 0.5), 48), material),
    capsule: (c) => new Mesh(new CapsuleGeometry(c.radius ?? 0.5, 2 * (c.halfHeight ?? 0.5), 12, 32), material),
  };

  function setScene(colliders) {
    for (const object of objects) object?.geometry?.dispose();
    group.clear();
    group.add(tool);
    tool.visible = false;
    objects = colliders.map((collider) => {
      const make = collider.surface ? (c) => new Mesh(makeSurface(c.surface), surfaceMaterial) : shapes[collider.type];
      if (!make) return null; // a type that this page does not know
      const object = make(collider);
      if (collider.type !== 'plane') {
        object.castShadow = true;
        object.receiveShadow = true;
        object.layers.enable(nearLayer);
      }
      object.visible = false; // until a frame says where it is
      group.add(object);
      return object;
    });
  }

  function show(frame) {
    tool.visible = false;
    for (const {index, position, rotation} of frame.colliders) {
      if (index === toolIndex) {
        tool.visible = true;
        tool.position.fromArray(position);
        tool.scale.setScalar(rotation[0]);
        continue;
      }
      const object = objects[index];
      if (!object) continue;
      object.visible = true;
      object.position.fromArray(position);
      object.quaternion.fromArray(rotation);
    }
  }

  const planes = () => objects.filter((object) => object?.isGround && object.visible);
  return {group, tool, setScene, show, planes, solids: () => objects.filter((o) => o?.isMesh && o.visible)};
}
