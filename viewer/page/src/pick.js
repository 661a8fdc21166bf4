// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What lies under a pixel: the nearest triangle on the ray, or for bodies of lines and near misses the vertex whose
// picture is nearest.

import {Plane, Raycaster, Vector2, Vector3} from 'three';

const near = 14; // pixels

export function createPick(view3d) {
  const raycaster = new Raycaster();
  const pixel = new Vector2();
  const place = new Vector3();
  const plane = new Plane();
  const forward = new Vector3();

  function aim(x, y) {
    const rect = view3d.canvas.getBoundingClientRect();
    pixel.set((2 * (x - rect.left)) / rect.width - 1, 1 - (2 * (y - rect.top)) / rect.height);
    view3d.camera.updateMatrixWorld();
    raycaster.setFromCamera(pixel, view3d.camera);
    return raycaster.ray;
  }

  // Distance to the box of a body along the ray; Infinity when it passes by
  function boxDistance(ray, view) {
    let first = 0;
    let last = Infinity;
    const o = ray.origin.toArray();
    const d = ray.direction.toArray();
    for (let k = 0; k < 3; ++k) {
      const a = (view.lower[k] - 1e-6 - o[k]) / d[k];
      const b = (view.upper[k] + 1e-6 - o[k]) / d[k];
      if (Number.isNaN(a) || Number.isNaN(b)) continue;
      first = Math.max(first, Math.min(a, b));
      last = Math.min(last, Math.max(a, b));
    }
    return first <= last ? first : Infinity;
  }

  function hitTriangles(ray, view, best) {
    const {positions: p, topology: {triangles}} = view;
    const {x: ox, y: oy, z: oz} = ray.origin;
    const {x: dx, y: dy, z: dz} = ray.direction;
    for (let t = 0; t < triangles.length; t += 3) {
      const a = 3 * triangles[t];
      const b = 3 * triangles[t + 1];
      const c = 3 * triangles[t + 2];
      const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
      const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
      const px = dy * vz - dz * vy, py = dz * vx - dx * vz, pz = dx * vy - dy * vx;
      const det = ux * px + uy * py + uz * pz;
      if (det === 0) continue;
      const sx = ox - p[a], sy = oy - p[a + 1], sz = oz - p[a + 2];
      const u = (sx * px + sy * py + sz * pz) / det;
      if (u < 0 || u > 1) continue;
      const qx = sy * uz - sz * uy, qy = sz * ux - sx * uz, qz = sx * uy - sy * ux;
      const v = (dx * qx + dy * qy + dz * qz) / det;
      if (v < 0 || u + v > 1) continue;
      const distance = (vx * qx + vy * qy + vz * qz) / det;
      if (distance <= 1e-9 || distance >= best.distance) continue;
      best.distance = distance;
      best.body = view.index;
      const w = 1 - u - v; // the corner with the largest share of the point is the nearest
      best.vertex = triangles[w >= u && w >= v ? t : u >= v ? t + 1 : t + 2];
    }
  }

  function nearestVertex(x, y, view, best) {
    const {positions} = view;
    const rect = view3d.canvas.getBoundingClientRect();
    const count = view.topology.vertexCount;
    for (let v = 0; v < count; ++v) {
      place.set(positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]).project(view3d.camera);
      if (place.z > 1) continue;
      const away = Math.hypot(rect.left + (0.5 + 0.5 * place.x) * rect.width - x,
                              rect.top + (0.5 - 0.5 * place.y) * rect.height - y);
      if (away >= best.away) continue;
      best.away = away;
      best.body = view.index;
      best.vertex = v;
    }
  }

  function pick(x, y, tolerance = 0) {
    const ray = aim(x, y);
    const best = {distance: Infinity, body: -1, vertex: -1};
    const views = view3d.bodies.visible();
    for (const view of views) {
      if (view.topology.triangleCount > 0 && boxDistance(ray, view) < best.distance) hitTriangles(ray, view, best);
    }
    if (best.body < 0) {
      best.away = Math.max(tolerance, 0);
      for (const view of views) {
        if (view.topology.triangleCount === 0) best.away = Math.max(best.away, near);
      }
      for (const view of views) {
        const lines = view.topology.triangleCount === 0;
        if (lines || tolerance > 0) nearestVertex(x, y, view, best);
      }
      if (best.body < 0) return null;
    }
    const view = view3d.bodies.views[best.body];
    const vertexPoint = [0, 1, 2].map((k) => view.positions[3 * best.vertex + k]);
    const point = best.distance < Infinity ? ray.at(best.distance, place).toArray() : vertexPoint;
    return {body: best.body, vertex: best.vertex, node: view.topology.vertexNodes[best.vertex], point, vertexPoint};
  }

  // Where the ray through a pixel meets the plane through `through` that is parallel to the picture
  function onPlane(x, y, through) {
    view3d.camera.getWorldDirection(forward);
    plane.setFromNormalAndCoplanarPoint(forward, through);
    return aim(x, y).intersectPlane(plane, new Vector3());
  }

  // The ray through a pixel, as far as it is near bodies: two ends
  function through(x, y) {
    const ray = aim(x, y);
    const {middle, radius} = view3d.bounds();
    const away = Math.max(0, middle.sub(ray.origin).dot(ray.direction));
    return [Math.max(1e-3 * radius, away - 2 * radius), away + 2 * radius].map((d) => ray.at(d, new Vector3()).toArray());
  }

  return {pick, onPlane, through};
}
