// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The ground: a plane that is hardly there, with a grid that fades out and the shadow of what is above it.

import {Color, Group, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial} from 'three';

const vertexShader = `
varying vec2 place;
uniform vec2 middle;
void main() {
  place = position.xz;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

// Lines of constant width on the screen at two spacings, one ten times the other.
const fragmentShader = `
varying vec2 place;
uniform vec3 colour;
uniform float cell;
uniform float reach;
uniform float fill;
uniform vec2 middle;
float grid(float size) {
  vec2 at = place / size;
  vec2 width = fwidth(at);
  vec2 line = abs(fract(at - 0.5) - 0.5) / max(width, vec2(1e-6));
  float near = 1.0 - min(min(line.x, line.y), 1.0);
  return near * (1.0 - smoothstep(0.2, 0.6, max(width.x, width.y)));
}
void main() {
  float fade = 1.0 - smoothstep(0.25, 1.0, length(place - middle) / reach);
  float strength = fill + 0.10 * grid(cell) + 0.16 * grid(10.0 * cell);
  gl_FragColor = vec4(colour, strength * fade);
}`;

export function createGround() {
  const group = new Group();
  group.isGround = true;
  const plane = new PlaneGeometry(2, 2).rotateX(-Math.PI / 2);
  const grid = new Mesh(plane, new ShaderMaterial({
    uniforms: {
      colour: {value: new Color()}, cell: {value: 0.1}, reach: {value: 10}, fill: {value: 0.035},
      middle: {value: [0, 0]},
    },
    vertexShader, fragmentShader, transparent: true, depthWrite: false,
  }));
  const shadow = new Mesh(plane.clone(), new ShadowMaterial({opacity: 0.28, depthWrite: false}));
  shadow.receiveShadow = true;
  grid.renderOrder = -2;
  shadow.renderOrder = -1;
  group.add(grid, shadow);

  // As large as the scene needs, with cells of a round length
  group.fit = (middle, radius, dark) => {
    const reach = 9 * radius;
    const local = group.worldToLocal(middle.clone());
    for (const mesh of [grid, shadow]) {
      const size = mesh === grid ? reach : 2.4 * radius;
      mesh.geometry.dispose();
      mesh.geometry = new PlaneGeometry(2 * size, 2 * size).rotateX(-Math.PI / 2).translate(local.x, 0, local.z);
    }
    grid.material.uniforms.reach.value = reach;
    grid.material.uniforms.middle.value = [local.x, local.z];
    grid.material.uniforms.cell.value = 10 ** Math.round(Math.log10(radius / 4));
    grid.material.uniforms.colour.value.setStyle(dark ? '#ffffff' : '#1b2430', '');
    shadow.material.opacity = dark ? 0.5 : 0.26;
  };
  return group;
}
