// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Round points of a fixed size on the screen, with a thin dark or light rim, for the chosen point; square ones for pins, and the points view.

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
uniform bool square;
void main() {
  vec2 at = abs(2.0 * (gl_PointCoord - 0.5));
  float r = square ? max(at.x, at.y) : length(at);
  if (r > 1.0) discard;
  gl_FragColor = vec4(r > 0.68 ? rim : colour, 1.0);
}`;

// Shared by all: pictures may have fewer or more pixels than the screen
export const pixelRatio = {value: 1};

// Colours are shown as they are given: sRGB numbers, no light.
export function dotMaterial(colour, rim, size, square = false) {
  const plain = (text) => new Color().setStyle(text, '');
  return new ShaderMaterial({
    uniforms: {size: {value: size}, pixelRatio, colour: {value: plain(colour)}, rim: {value: plain(rim)}, square: {value: square}},
    vertexShader,
    fragmentShader,
  });
}
