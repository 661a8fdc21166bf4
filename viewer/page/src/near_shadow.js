// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What is close to the ground darkens it softly: a camera under the ground looks up at the things on `nearLayer`, the
// nearer they are the darker, and the picture is blurred and laid on the ground.

import {
  Group, Mesh, OrthographicCamera, PlaneGeometry, ShaderMaterial, Vector2, WebGLRenderTarget, DoubleSide, NoBlending,
} from 'three';

export const nearLayer = 1;
const pixels = 192;
const size = 1.5; // of what is seen, half a side, in radii of the scene
const height = 0.28; // of what darkens, in radii

const passThrough = 'varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }';
const blur = `
varying vec2 at;
uniform sampler2D picture;
uniform vec2 stride;
void main() {
  float sum = 0.0;
  float weights = 0.0;
  for (int i = -8; i <= 8; ++i) {
    float weight = exp(-0.035 * float(i * i));
    sum += weight * texture2D(picture, at + stride * float(i)).a;
    weights += weight;
  }
  gl_FragColor = vec4(0.0, 0.0, 0.0, sum / weights);
}`;

export function createNearShadow() {
  const targets = [0, 1].map(() => new WebGLRenderTarget(pixels, pixels));
  const camera = new OrthographicCamera(-1, 1, 1, -1, 0, 1);
  camera.rotation.x = Math.PI / 2;
  camera.layers.set(nearLayer);
  const depth = new ShaderMaterial({
    side: DoubleSide, blending: NoBlending,
    vertexShader: 'void main() { gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }',
    fragmentShader: 'void main() { float far = 1.0 - gl_FragCoord.z; gl_FragColor = vec4(0.0, 0.0, 0.0, far * far); }',
  });
  const blurMaterial = new ShaderMaterial({
    uniforms: {picture: {value: null}, stride: {value: new Vector2()}}, vertexShader: passThrough, fragmentShader: blur,
    depthTest: false, depthWrite: false, blending: NoBlending,
  });
  const screen = new Mesh(new PlaneGeometry(2, 2), blurMaterial);
  screen.frustumCulled = false;
  const flat = new OrthographicCamera(-1, 1, 1, -1, 0, 1);
  const dark = {value: 0.5};
  const floor = new Mesh(new PlaneGeometry(2, 2).rotateX(-Math.PI / 2), new ShaderMaterial({
    uniforms: {picture: {value: targets[0].texture}, dark}, transparent: true, depthWrite: false,
    vertexShader: 'varying vec2 at; void main() { at = vec2(uv.x, 1.0 - uv.y); gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }',
    fragmentShader: `varying vec2 at; uniform sampler2D picture; uniform float dark;
      void main() { gl_FragColor = vec4(0.03, 0.04, 0.06, dark * texture2D(picture, at).a); }`,
  }));
  floor.renderOrder = -1;
  floor.visible = false;
  const group = new Group();
  group.add(camera, floor);

  function pass(renderer, from, to, x, y) {
    blurMaterial.uniforms.picture.value = targets[from].texture;
    blurMaterial.uniforms.stride.value.set(x / pixels, y / pixels);
    renderer.setRenderTarget(targets[to]);
    renderer.render(screen, flat);
  }

  return {
    group,
    // `middle` is in the frame of the ground, whose normal is y
    fit(middle, radius, isDark) {
      const half = size * radius;
      Object.assign(camera, {left: -half, right: half, top: half, bottom: -half, near: 0, far: height * radius});
      camera.updateProjectionMatrix();
      camera.position.set(middle.x, -1e-3 * radius, middle.z);
      floor.position.set(middle.x, 0, middle.z);
      floor.scale.set(half, 1, half);
      dark.value = isDark ? 0.75 : 0.5;
    },
    draw(renderer, scene) {
      const automatic = renderer.shadowMap.autoUpdate;
      scene.overrideMaterial = depth;
      renderer.shadowMap.autoUpdate = false;
      renderer.setRenderTarget(targets[0]);
      renderer.clear();
      renderer.render(scene, camera);
      scene.overrideMaterial = null;
      pass(renderer, 0, 1, 1, 0);
      pass(renderer, 1, 0, 0, 1);
      renderer.setRenderTarget(null);
      renderer.shadowMap.autoUpdate = automatic;
      floor.visible = true;
    },
  };
}
