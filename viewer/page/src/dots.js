// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Round points of a fixed size on the screen, with a thin dark or light rim, for the chosen point; square ones for pins, diamonds for
// what attachments hold, and the points view.

import {Color, ShaderMaterial} from 'three';

const vertexShader = `
uniform float size;
uniform float pixelRatio;
void main() {
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_Position.z -= 0.0005 * gl_Position.w; // before the surface that it lies on
  gl_PointSize = size * pixelRatio;
}`;

const fragmentShader = `
uniform vec3 colour;
uniform vec3 rim;
uniform int shape;
void main() {
  vec2 at = abs(2.0 * (gl_PointCoord - 0.5));
  float r = shape == 1 ? max(at.x, at.y) : shape == 2 ? at.x + at.y : length(at);
  if (r > 1.0) discard;
  gl_FragColor = vec4(r > 0.68 ? rim : colour, 1.0);
}`;

// Shared by all: pictures may have fewer or more pixels than the screen
export const pixelRatio = {value: 1};

// Colours are shown as they are given: sRGB numbers, no light.
const shapes = {round: 0, square: 1, diamond: 2};
export function dotMaterial(colour, rim, size, shape = 'round') {
  const plain = (text) => new Color().setStyle(text, '');
  return new ShaderMaterial({
    uniforms: {size: {value: size}, pixelRatio, colour: {value: plain(colour)}, rim: {value: plain(rim)}, shape: {value: shapes[shape]}},
    vertexShader,
    fragmentShader,
  });
}
