// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The material of bodies: light from all around that is weaker near the floor, where the floor hides the sky, and for
// sheets a paler back side, so that one sees which is which.

import {DoubleSide, MeshPhongMaterial} from 'three';

// Shared by all: height of the floor, and how far it darkens; m
export const floorShade = {height: {value: -1e9}, reach: {value: 1}};

export function bodyMaterial(color, options = {}) {
  const material = new MeshPhongMaterial({color, side: DoubleSide, shininess: 30, specular: 0x2a2a2a, ...options});
  const sheet = {value: 0};
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, {floorHeight: floorShade.height, floorReach: floorShade.reach, sheet});
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nvarying float bodyHeight;\nvarying float bodyUp;')
      .replace('#include <begin_vertex>', `#include <begin_vertex>
        bodyHeight = (modelMatrix * vec4(position, 1.0)).y;
        bodyUp = normal.y;`);
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', `#include <common>
        varying float bodyHeight;
        varying float bodyUp;
        uniform float floorHeight;
        uniform float floorReach;
        uniform float sheet;`)
      .replace('#include <map_fragment>', `#include <map_fragment>
        if (!gl_FrontFacing) diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.86), 0.5 * sheet);
        float nearFloor = 1.0 - smoothstep(0.0, floorReach, max(bodyHeight - floorHeight, 0.0));
        diffuseColor.rgb *= 1.0 - 0.45 * nearFloor * (0.6 - 0.4 * bodyUp);`);
  };
  material.setSheet = (open) => (sheet.value = open ? 1 : 0);
  return material;
}
