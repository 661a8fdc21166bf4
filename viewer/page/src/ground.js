// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The ground: a floor of tiles that fades out, the shadow of what is above it, and where something is close to it the
// soft dark rim that tells the eye that it touches.

import {Color, Group, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial} from 'three';
import {createNearShadow} from './near_shadow.js';

const vertexShader = `
varying vec2 place;
void main() {
  place = position.xz;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

// Tiles in two shades with joints of constant width in the world; where they get too small to be seen, their mean
const fragmentShader = `
varying vec2 place;
uniform vec3 bright;
uniform vec3 dull;
uniform vec3 joint;
uniform float tile;
uniform float reach;
uniform vec2 middle;
void main() {
  vec2 at = place / tile;
  vec2 width = max(fwidth(at), vec2(1e-6));
  float coarse = smoothstep(0.15, 0.6, max(width.x, width.y));
  vec2 inTile = abs(fract(at) - 0.5);
  vec2 odd = clamp((abs(fract(0.5 * at) - 0.5) - 0.25) / width + 0.5, 0.0, 1.0);
  float check = mix(odd.x * odd.y + (1.0 - odd.x) * (1.0 - odd.y), 0.5, coarse);
  vec2 line = clamp((inTile - 0.5 + 0.012) / width + 0.5, 0.0, 1.0);
  float joints = max(line.x, line.y) * (1.0 - coarse);
  vec3 colour = mix(mix(dull, bright, check), joint, joints);
  float fade = 1.0 - smoothstep(0.2, 1.0, length(place - middle) / reach);
  gl_FragColor = vec4(colour, fade);
}`;

const shades = {light: ['#eff2f5', '#e6eaee', '#d0d6dd'], dark: ['#2b323b', '#262d35', '#3a434e']};

export function createGround() {
  const group = new Group();
  group.isGround = true;
  const plane = new PlaneGeometry(2, 2).rotateX(-Math.PI / 2);
  const uniforms = {
    bright: {value: new Color()}, dull: {value: new Color()}, joint: {value: new Color()},
    tile: {value: 0.1}, reach: {value: 10}, middle: {value: [0, 0]},
  };
  const tiles = new Mesh(plane, new ShaderMaterial({uniforms, vertexShader, fragmentShader, transparent: true, depthWrite: false}));
  const shadow = new Mesh(plane.clone(), new ShadowMaterial({depthWrite: false}));
  shadow.receiveShadow = true;
  tiles.renderOrder = -3;
  shadow.renderOrder = -2;
  const near = createNearShadow();
  group.add(tiles, shadow, near.group);

  // As large as the scene needs, with tiles of a round length
  group.fit = (middle, radius, dark) => {
    const reach = 9 * radius;
    const local = group.worldToLocal(middle.clone());
    for (const mesh of [tiles, shadow]) {
      const size = mesh === tiles ? reach : 2.4 * radius;
      mesh.geometry.dispose();
      mesh.geometry = new PlaneGeometry(2 * size, 2 * size).rotateX(-Math.PI / 2).translate(local.x, 0, local.z);
    }
    uniforms.reach.value = reach;
    uniforms.middle.value = [local.x, local.z];
    uniforms.tile.value = roundLength(0.4 * radius);
    // Numbers on the screen, past all conversions, as those of the page around
    ['bright', 'dull', 'joint'].forEach((name, i) => uniforms[name].value.setStyle(shades[dark ? 'dark' : 'light'][i], ''));
    shadow.material.opacity = dark ? 0.42 : 0.2;
    near.fit(local, radius, dark);
  };
  group.drawNear = (renderer, scene) => near.draw(renderer, scene);
  return group;
}

// The largest of 1, 2, 5 times a power of ten that is not larger
function roundLength(length) {
  const power = 10 ** Math.floor(Math.log10(length));
  return power * (length / power >= 5 ? 5 : length / power >= 2 ? 2 : 1);
}
