// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The scene with what was changed while it ran, as the text of a scene file.

const listOf = {youngModulus: 'springs', stiffness: 'springs', damping: 'springs', coefficient: 'fields'}; // where short paths lead

// Where a setting lies in its body or, without one, in the scene: from keys of a `set` event to those of scene files
function pathOf(setting, owner) {
  const path = setting.path.length === 1 && listOf[setting.path[0]] ? [listOf[setting.path[0]], ...setting.path] : [...setting.path];
  if (Array.isArray(owner[path[0]])) path.splice(1, 0, setting.extra?.index ?? 0);
  return path;
}

// As the engine names those that have no name: body, body2, body3
export const bodyName = (body, i) => body.name ?? (i === 0 ? 'body' : `body${i + 1}`);

function put(owner, path, value) {
  const [first, ...rest] = path;
  if (rest.length === 0) {
    const both = [owner[first], value].every((x) => typeof x === 'object' && x !== null && !Array.isArray(x));
    owner[first] = both ? {...owner[first], ...value} : value;
    return;
  }
  if (typeof owner[first] !== 'object' || owner[first] === null) owner[first] = {};
  put(owner[first], rest, value);
}

// `settings` are those that have another value than at the start
export function writeScene(text, settings, methodOf) {
  const scene = JSON.parse(text);
  for (const setting of settings) {
    const owner = setting.body === null || setting.body === undefined ? scene
      : scene.bodies?.find((body, i) => bodyName(body, i) === setting.body);
    if (!owner) continue;
    if (setting.path.join('.') === 'tets.scale') (scene.events ??= []).unshift({time: 0, type: 'set', body: setting.body, tets: {scale: setting.value}});
    else if (setting.path[0] === 'method') owner.method = methodOf(setting.body);
    else put(owner, pathOf(setting, owner), setting.value);
  }
  return `${JSON.stringify(scene, null, 4)}\n`;
}
