// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What bodies look as if they were made of. All share one light: a room with a bright floor and one large lamp with
// straight edges, which shiny things mirror; it is a formula, not a picture, so that it costs little. Near the floor less
// of that light arrives. Sheets have a paler back side, so that one sees which is which, and what an edit laid bare is pale
// as in pictures (src/record/picture.c).

import {DoubleSide, MeshPhongMaterial} from 'three';
import {lampDirection} from './lights.js';

// Shared by all: height of the floor, and how far it darkens; m
export const floorShade = {height: {value: -1e9}, reach: {value: 1}};

// How much is mirrored, how much light comes through, how much lint catches light at the rim
export const looks = {
  plain: {gloss: 0.25, through: 0, lint: 0},
  jelly: {gloss: 1, through: 0.9, lint: 0},
  rubber: {gloss: 0.4, through: 0, lint: 0.1},
  tissue: {gloss: 0.8, through: 0.45, lint: 0},
  cloth: {gloss: 0, through: 0.12, lint: 0.5},
  balloon: {gloss: 1.5, through: 0.35, lint: 0},
};

const jellyModulus = 5e4; // Pa; softer than this looks wet
const rubberModulus = 1e8; // Pa
const tissues = /liver|brain|muscle|skin|fat|kidney|heart|lung|spleen|tissue|organ|tendon|sclera|breast|spinal/i;

// What a body of a scene file most probably is made of
export function lookOf(body) {
  if (!body) return 'plain';
  const material = typeof body.material === 'string' ? body.material : '';
  const method = typeof body.method === 'string' ? body.method : body.method?.type;
  if (method === 'rigid') return 'plain';
  if (body.gas) return 'balloon';
  if (tissues.test(`${material} ${body.name ?? ''}`)) return 'tissue';
  const solid = body.tets !== undefined || material !== '';
  if (!solid) return body.mesh?.generator === 'cloth' || body.bends ? 'cloth' : 'rubber';
  const modulus = body.tets?.youngModulus ?? (material === 'rubber' ? 2e6 : material ? Infinity : 1e6);
  if (/gelatin|jelly/i.test(material) || modulus < jellyModulus) return 'jelly';
  return modulus < rubberModulus ? 'rubber' : 'plain';
}

const declarations = `
  varying float bodyHeight;
  varying float bodyUp;
  varying float bodyBare;
  uniform float floorHeight;
  uniform float floorReach;
  uniform float sheet;
  uniform float gloss;
  uniform float through;
  uniform float lint;
  uniform float coloured;
  const vec3 lamp = vec3(${lampDirection.toArray().map((x) => x.toFixed(5)).join(', ')});
  vec3 room(vec3 to) {
    vec3 light = mix(vec3(0.30, 0.29, 0.28), vec3(0.78, 0.82, 0.88), smoothstep(-0.3, 0.5, to.y));
    vec3 side = normalize(cross(lamp, vec3(0.0, 1.0, 0.0)));
    float away = max(dot(to, lamp), 1e-3);
    vec2 at = vec2(dot(to, side), dot(to, cross(side, lamp))) / (0.36 * away);
    float inside = smoothstep(1.15, 0.7, dot(at * at, at * at)) * step(0.01, away);
    return light + 4.0 * inside;
  }`;

export function bodyMaterial(color, options = {}) {
  const material = new MeshPhongMaterial({color, side: DoubleSide, shininess: 1, specular: 0x000000, ...options});
  const uniforms = {
    floorHeight: floorShade.height, floorReach: floorShade.reach, sheet: {value: 0}, coloured: {value: 0},
    gloss: {value: 0}, through: {value: 0}, lint: {value: 0},
  };
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nattribute float bare;\nvarying float bodyBare;\nvarying float bodyHeight;\nvarying float bodyUp;')
      .replace('#include <begin_vertex>', `#include <begin_vertex>
        bodyHeight = (modelMatrix * vec4(position, 1.0)).y;
        bodyBare = bare;
        bodyUp = normal.y;`);
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', `#include <common>${declarations}`)
      .replace('#include <map_fragment>', `#include <map_fragment>
        if (!gl_FrontFacing) diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.86), 0.5 * sheet);
        diffuseColor.rgb = mix(diffuseColor.rgb, vec3(1.0, 0.83, 0.64), 0.5 * bodyBare * (1.0 - coloured));
        float nearFloor = 1.0 - smoothstep(0.0, floorReach, max(bodyHeight - floorHeight, 0.0));
        float hidden = 0.34 * nearFloor * (0.6 - 0.4 * bodyUp);`)
      .replace('#include <opaque_fragment>', `
        vec3 toEye = normalize(vViewPosition);
        vec3 outward = (vec4(normal, 0.0) * viewMatrix).xyz;
        vec3 mirrored = (vec4(reflect(-toEye, normal), 0.0) * viewMatrix).xyz;
        float rim = 1.0 - clamp(dot(normal, toEye), 0.0, 1.0);
        float toLamp = clamp(0.5 + 0.5 * dot(outward, lamp), 0.0, 1.0);
        outgoingLight += diffuseColor.rgb * (through * (0.16 * toLamp + 0.55 * rim * rim) + lint * rim * rim * rim);
        outgoingLight *= 1.0 - hidden;
        float share = 0.045 + 0.6 * rim * rim * rim * rim * rim;
        outgoingLight += mix(gloss, 0.2 * gloss, coloured) * share * (1.0 - 0.7 * hidden) * room(mirrored);
        outgoingLight = mix(outgoingLight, diffuseColor.rgb * (0.72 + 0.36 * toLamp), 0.6 * coloured);
        #include <opaque_fragment>`);
  };
  material.setSheet = (open) => (uniforms.sheet.value = open ? 1 : 0);
  // Colours that mean a number are hardly shaded
  material.setColoured = (there) => (uniforms.coloured.value = there ? 1 : 0);
  material.setMade = (look) => {
    const numbers = looks[look] ?? looks.plain;
    for (const [name, value] of Object.entries(numbers)) uniforms[name].value = value;
  };
  material.setMade('plain');
  return material;
}
