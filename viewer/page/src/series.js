// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Numbers over time, for plots and CSV: rolling in a live view, complete in a report. And which of them share a plot.

import {unitText} from './format.js';

export const stages = ['commands', 'advance', 'detection', 'response', 'check', 'adapt', 'publish'];
const stageTitles = {
  commands: 'commands', advance: 'advance', detection: 'detection', response: 'response', check: 'check',
  adapt: 'adapt', publish: 'publish', other: 'other',
};
const span = 30; // s in a live view

function column(name, unit, group = '') {
  return {name, unit, group, values: []};
}

// Measurements of one unit in one plot, at most six lines each
function measuredPlots(columns, start = 0) {
  const groups = new Map();
  for (const c of columns) {
    if (!groups.has(c.unit)) groups.set(c.unit, [[]]);
    const list = groups.get(c.unit);
    if (list.at(-1).length === 6) list.push([]);
    list.at(-1).push(c);
  }
  return [...groups.values()].flat().map((list, i) => ({
    id: `plot-measured-${start + i}`,
    title: (list.length === 1 ? list[0].name : 'Measured') + (list[0].unit ? `, ${unitText(list[0].unit)}` : ''),
    lines: list.map((c) => ({...c, column: c, unit: c.unit, scale: 'y'})),
  }));
}

// ---- Live

export function createLiveSeries(measurements) {
  const x = column('time', 's', 'time');
  const wall = column('wall', 's');
  const profile = [...stages, 'other'].map((stage) => column(stageTitles[stage], 'ms', 'profile'));
  const rate = column('steps per second', '1/s');
  const pictures = column('pictures per second', '1/s');
  const ratio = column('ratio to real time', '');
  const energy = ['kinetic', 'elastic', 'potential', 'total'].map((name) => column(name, 'J', 'energy'));
  const iterations = column('iterations', '', 'solver');
  const residual = column('residual', '', 'solver');
  const active = column('active nodes', '', 'levels'); // of bodies of levels
  const evaluations = column('evaluations in a step', '', 'levels');
  const load = column('load of the budget', '%', 'levels');
  const measured = measurements.map((m) => column(m.name, m.unit ?? '', 'measurement'));
  const probed = []; // of the node that was clicked
  const all = [x, wall, ...profile, rate, pictures, ratio, ...energy, iterations, residual, active, evaluations, load, ...measured];

  function push(stats, picturesPerSecond, probe) {
    const last = x.values.at(-1);
    if (last === stats.time) return; // paused
    if (last > stats.time) for (const c of all) c.values.length = 0; // the scene has started again
    const number = (value) => (typeof value === 'number' ? value : null);
    const ms = stages.map((stage) => stats.profile?.[stage] ?? 0);
    const rest = (stats.profile?.step ?? 0) - ms.reduce((a, b) => a + b, 0);
    const {kinetic = null, elastic = null, potential = null} = stats.energy ?? {};
    const total = kinetic === null ? null : kinetic + (elastic ?? 0) + (potential ?? 0);
    const row = [
      stats.time, stats.wall, ...ms, Math.max(0, rest), number(stats.framesPerSecond), picturesPerSecond, number(stats.ratio),
      kinetic, elastic, potential, total, number(stats.iterations),
      stats.residual > 0 ? stats.residual : null, number(stats.levels?.active), number(stats.levels?.evaluations),
      typeof stats.levels?.load === 'number' ? 100 * stats.levels.load : null, ...measured.map((_, i) => number(stats.measurements?.[i])),
      ...probed.map((c) => number(probe?.[c.key])),
    ];
    all.forEach((c, i) => c.values.push(row[i]));
    let old = 0;
    while (x.values[old] < stats.time - span) ++old;
    if (old > 0) for (const c of all) c.values.splice(0, old);
  }

  const line = (c, scale = 'y') => ({column: c, name: c.name, unit: c.unit, scale});
  // Plots of one node in place of those of another
  function setProbe(name) {
    all.splice(all.length - probed.length, probed.length);
    probed.length = 0;
    for (const [key, unit] of [['stress', 'Pa'], ['strain', ''], ['displacement', 'm'], ['velocity', 'm/s']]) {
      probed.push({...column(`${key} of ${name}`, unit), key, values: x.values.map(() => null)});
    }
    all.push(...probed);
    series.plots = [...probed.map((c) => ({id: `plot-probe-${c.key}`, title: c.name + (c.unit ? `, ${c.unit}` : ''), lines: [line(c)]})), ...plots];
  }

  const plots = [
    ...measuredPlots(measured),
    {id: 'plot-energy', title: 'Energy, J', lines: energy.map((c) => line(c))},
    {id: 'plot-step', title: 'Time of a step, ms', stacked: true, lines: profile.map((c) => line(c))},
    {id: 'plot-rate', title: 'Rate', lines: [line(rate), line(pictures), line(ratio, 'y2')]},
    {id: 'plot-solver', title: 'Solver', lines: [line(iterations), line(residual, 'log')]},
    {id: 'plot-load', title: 'Load of the budget, %', lines: [line(load)]},
    {id: 'plot-levels', title: 'Levels', lines: [line(active), line(evaluations, 'y2')]},
  ];
  const columns = () => all.filter((c) => c.group !== '');
  const series = {x, all, plots, push, setProbe, columns, live: true, span};
  return series;
}

// ---- Report

const isResidual = (c) => c.group === 'solver' && /residual/i.test(c.name);

export function createReportSeries(message) {
  const columns = message.columns.map((c) => ({
    ...c, values: Array.from(c.values, (v) => (Number.isFinite(v) ? v : null)),
  }));
  const x = columns.find((c) => c.group === 'time') ?? columns[0];
  for (const c of columns) if (isResidual(c)) c.values = c.values.map((v) => (v > 0 ? v : null)); // drawn as a logarithm
  const known = columns.filter((c) => c !== x && c.values.some((v) => v !== null));
  const of = (group) => known.filter((c) => c.group === group);
  const line = (c, scale = 'y') => ({column: c, name: stageTitles[c.name] ?? c.name, unit: c.unit, scale});
  const plots = [];
  const profile = of('profile').filter((c) => c.name !== 'step');
  const solver = of('solver');
  plots.push(...measuredPlots(of('measurement')));
  if (profile.length > 0) {
    const unit = profile[0].unit;
    plots.push({id: 'plot-step', title: `Time of a step${unit ? `, ${unit}` : ''}`, stacked: true, lines: profile.map((c) => line(c))});
  }
  if (solver.length > 0) {
    plots.push({id: 'plot-solver', title: 'Solver', lines: solver.map((c) => line(c, isResidual(c) ? 'log' : 'y'))});
  }
  const energy = of('energy');
  if (energy.length > 0) plots.push({id: 'plot-energy', title: 'Energy, J', lines: energy.map((c) => line(c))});
  const rest = known.filter((c) => !['measurement', 'profile', 'solver', 'energy'].includes(c.group));
  plots.push(...measuredPlots(rest, plots.length));
  return {x, all: columns, plots, push() {}, live: false};
}
