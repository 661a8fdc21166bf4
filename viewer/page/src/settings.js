// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Everything that can change while the scene runs, as the engine lists it: a row for each, grouped by body. What the user
// moves is sent at most 30 times a second; what the engine confirms is shown.

import {h, save} from './dom.js';
import {fieldNumber, unitText} from './format.js';
import {writeScene} from './scene_text.js';

const interval = 33; // ms

// What a setting does, in a sentence, by the last word of its path; those that most people want first
const sentences = {
  gravity: 'Acceleration of everything that is free.', dt: 'Time that one step covers; smaller is finer and slower.',
  youngModulus: 'Stiffness of the material: twice as much gives half the stretch.', stiffness: 'Force for each metre of stretch.',
  poissonRatio: 'How much it gets thinner when it is pulled; near 0.5 it keeps its volume.',
  damping: 'How fast motion inside the body dies out.', friction: 'How hard it is to slide; 1 holds on a slope of 45 degrees.',
  restitution: 'How much speed is left after a bounce; 0 none, 1 all.', wind: 'Speed of the air that blows.',
  pressure: 'Of the gas inside.', coefficient: 'Strength of the field.', method: 'How steps are solved.',
  tets: 'What the solid is made of; its mass stays.', scale: 'Young\'s modulus of all materials, times this.',
  substeps: 'Parts that a step is divided into.', iterations: 'Rounds of the solver in each substep.',
  safety: 'Share of the largest stable substep that is taken.', contact: 'How contacts are solved.',
  compliance: 'How much a constraint gives way; 0 is rigid.', filter: 'Smooths velocities of cloth.',
};
const basic = new Set(['gravity', 'tets', 'scale', 'youngModulus', 'stiffness', 'poissonRatio', 'damping', 'friction', 'restitution', 'wind', 'pressure', 'coefficient']);
const isBasic = (setting) => basic.has(setting.path.at(-1)) && setting.path[0] !== 'method';

export function settingId(setting) {
  const body = (setting.body ?? 'world').replace(/[^A-Za-z0-9._]/g, '_');
  const index = setting.extra?.index;
  return `setting-${body}-${setting.path.join('.')}${index ? `-${index}` : ''}`;
}

function same(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}

// A copy of `object` in which the value at `path` is another one
function withValue(object, path, value) {
  if (path.length === 0) return value;
  const copy = object && typeof object === 'object' ? structuredClone(object) : {};
  copy[path[0]] = withValue(copy[path[0]], path.slice(1), value);
  return copy;
}

export function createSettings(app) {
  const list = h('div', {id: 'settings-list'});
  const expert = h('input', {id: 'settings-expert', type: 'checkbox', onchange: () => pane.classList.toggle('basic', !expert.checked)});
  const pane = h('div', {class: 'basic'}, h('div', {class: 'pane-head'}, h('label', {}, expert, 'Expert settings')), list);
  let rows = new Map(); // by id: {setting, show}
  const waiting = new Map(); // by id: value to send
  const starts = new Map(); // by id: value when the scene was opened
  let timer = 0;

  function methodOf(body) {
    return app.scene.bodies.find((b) => b.name === body)?.method ?? {};
  }

  function eventOf(setting, value) {
    const event = {type: 'set', ...(setting.extra ?? {})};
    if (setting.body !== null && setting.body !== undefined) event.body = setting.body;
    const [first, ...rest] = setting.path;
    // A method is exchanged as a whole
    event[first] = first === 'method' ? withValue(methodOf(setting.body), rest, value) : withValue({}, rest, value);
    return event;
  }

  function flush() {
    timer = 0;
    for (const [id, value] of waiting) {
      const {setting} = rows.get(id) ?? {};
      if (!setting) continue;
      const event = eventOf(setting, value);
      if (setting.path[0] === 'method') {
        const body = app.scene.bodies.find((b) => b.name === setting.body);
        if (body) body.method = event.method;
      }
      app.act(event);
    }
    if (waiting.size > 0) timer = setTimeout(flush, interval);
    waiting.clear();
  }

  function change(setting, value) {
    waiting.set(settingId(setting), value);
    if (timer === 0) flush();
  }

  // ---- Kinds of rows. Each gives its inputs, and a function that shows a value.

  function numberRow(setting, id) {
    const log = setting.kind === 'log';
    const place = (x) => (log ? Math.log10(Math.max(x, setting.min || 1e-12)) : x);
    const low = log && !(setting.min > 0) ? (setting.max > 0 ? setting.max * 1e-9 : 1e-9) : setting.min;
    const slider = h('input', {
      id: `${id}-slider`, type: 'range', min: place(low), max: place(setting.max),
      step: setting.kind === 'integer' ? 1 : 'any', 'aria-label': setting.label,
    });
    const number = h('input', {id: `${id}-number`, type: 'text', inputmode: 'decimal', class: 'number',
                               'aria-label': `${setting.label}, number`});
    slider.addEventListener('input', () => {
      const x = log ? 10 ** Number(slider.value) : Number(slider.value);
      const value = setting.kind === 'integer' ? Math.round(x) : Number(x.toPrecision(3));
      number.value = fieldNumber(value);
      change(setting, value);
    });
    number.addEventListener('change', () => {
      const x = Number.parseFloat(number.value);
      if (!Number.isFinite(x)) return show(setting.value, true);
      const value = setting.kind === 'integer' ? Math.round(x) : x;
      slider.value = place(value);
      change(setting, value);
      return undefined;
    });
    const show = (value, force = false) => {
      if (force || document.activeElement !== number) number.value = typeof value === 'number' ? fieldNumber(value) : String(value ?? '');
      if (!slider.matches(':active') && typeof value === 'number') slider.value = place(value);
    };
    return {inputs: [slider, number], show};
  }

  function choiceRow(setting, id) {
    const select = h('select', {id: `${id}-choice`, 'aria-label': setting.label},
      setting.choices.map((choice, i) => h('option', {value: i}, choice.label)));
    select.addEventListener('change', () => change(setting, setting.choices[Number(select.value)].value));
    const show = (value) => {
      let index = setting.choices.findIndex((choice) => same(choice.value, value));
      if (index < 0) index = setting.choices.findIndex((choice) => choice.value?.type && choice.value.type === (value?.type ?? value));
      select.value = index < 0 ? '' : String(index);
    };
    return {inputs: [select], show, wide: true};
  }

  function vectorRow(setting, id) {
    const inputs = ['x', 'y', 'z'].map((axis) =>
      h('input', {id: `${id}-${axis}`, type: 'text', inputmode: 'decimal', class: 'number', 'aria-label': `${setting.label}, ${axis}`}));
    const send = () => {
      const value = inputs.map((input) => Number.parseFloat(input.value));
      if (value.every(Number.isFinite)) change(setting, value);
      else show(setting.value, true);
    };
    for (const input of inputs) input.addEventListener('change', send);
    const show = (value, force = false) => inputs.forEach((input, i) => {
      if (force || document.activeElement !== input) input.value = fieldNumber(value?.[i] ?? 0);
    });
    return {inputs, show, wide: true};
  }

  const kinds = {log: numberRow, linear: numberRow, integer: numberRow, choice: choiceRow, vector: vectorRow};

  function rowOf(setting) {
    const id = settingId(setting);
    const make = kinds[setting.kind];
    if (!make) return null; // a kind that this page does not know
    const {inputs, show, wide} = make(setting, id);
    show(setting.value);
    const reset = h('button', {id: `${id}-reset`, type: 'button', class: 'plain small reset', 'aria-label': `${setting.label} as at the start`,
                               title: 'As at the start', onclick: () => change(setting, starts.get(id))}, '↺');
    rows.set(id, {setting, show, reset});
    if (!starts.has(id)) starts.set(id, structuredClone(setting.value));
    reset.hidden = same(starts.get(id), setting.value);
    const sentence = sentences[setting.path.at(-1)] ?? '';
    return h('div', {id, 'data-testid': id, class: `${wide ? 'row wide' : 'row'}${isBasic(setting) ? '' : ' expert'}`, title: sentence},
      h('label', {for: inputs[0].id}, setting.label, ' ', reset), inputs, h('span', {class: 'unit', title: setting.unit ?? ''}, unitText(setting.unit)),
      sentence ? h('small', {class: 'sentence'}, sentence) : null);
  }

  function shape(list) {
    return list.map((x) => `${settingId(x)} ${x.kind} ${x.min} ${x.max} ${(x.choices ?? []).length}`).join('\n');
  }

  let shownShape = null;
  function update(settings) {
    const now = shape(settings);
    if (now === shownShape) {
      for (const setting of settings) {
        const row = rows.get(settingId(setting));
        if (!row) continue;
        Object.assign(row.setting, setting);
        row.reset.hidden = same(starts.get(settingId(setting)), setting.value);
        if (!waiting.has(settingId(setting))) row.show(setting.value);
      }
    } else {
      shownShape = now;
      rows = new Map();
      const focus = document.activeElement?.id;
      const groups = new Map();
      for (const setting of settings) {
        const name = setting.body ?? null;
        if (!groups.has(name)) groups.set(name, []);
        groups.get(name).push(rowOf(setting));
      }
      const few = groups.size <= 5;
      list.replaceChildren(...[...groups].map(([name, group], i) =>
        h('details', {class: 'group', open: few || i < 2}, h('summary', {}, name ?? 'World'), group)));
      if (focus) document.getElementById(focus)?.focus({preventScroll: true});
    }
    // Keep whole methods up to date with single values that came from elsewhere
    for (const setting of settings) {
      const body = setting.path[0] === 'method' && app.scene.bodies.find((b) => b.name === setting.body);
      if (!body) continue;
      if (setting.path.length > 1) body.method = withValue(body.method, setting.path.slice(1), setting.value);
      else if (setting.value && typeof setting.value === 'object') body.method = structuredClone(setting.value);
    }
  }

  app.on('scene', (scene) => {
    shownShape = null;
    waiting.clear();
    starts.clear();
    update(scene.settings ?? []);
  });
  app.on('settings', (message) => {
    app.scene.settings = message.settings ?? app.scene.settings;
    if (message.bodies) message.bodies.forEach((body, i) => Object.assign(app.scene.bodies[i] ?? {}, body));
    update(message.settings ?? []);
  });
  // What the engine refused goes back
  app.on('notice', ({level}) => {
    if (level === 'info') return;
    for (const row of rows.values()) row.show(row.setting.value, true);
  });
  app.sceneText = () => writeScene(app.scene.text,
    [...rows].filter(([id, row]) => !same(starts.get(id), row.setting.value)).map(([, row]) => row.setting), methodOf);
  app.settingValues = () => [...rows].map(([id, row]) => ({id, value: row.setting.value}));
  return pane;
}

// The scene with what was changed, to the clipboard, or where there is none as a file
export function createSceneCopy(app) {
  const copy = async () => {
    const text = app.sceneText();
    try {
      await navigator.clipboard.writeText(text);
      app.notify('info', 'The scene with your settings is in the clipboard.');
    } catch {
      save(`${app.scene.name}.json`, text, 'application/json');
    }
  };
  return h('div', {class: 'chips'}, h('button', {id: 'copy-scene', type: 'button', onclick: copy}, 'Copy as scene'));
}
