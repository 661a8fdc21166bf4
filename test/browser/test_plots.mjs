// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Plots run along and can be saved

import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';

import {check, until} from './stage.mjs';

// Columns and rows of a CSV text
function parseCsv(text) {
  const lines = text.trim().split(/\r?\n/);
  return {columns: lines[0].split(','), rows: lines.slice(1).map((line) => line.split(','))};
}

check('plots: levels and their load, where a body has them', async (stage) => {
  const page = await stage.open(await stage.serve('levels'));
  await page.click('#tab-plots');
  await until(page, () => ['plot-load', 'plot-levels', 'plot-measured-0']
    .every((id) => window.souple.plots().some((plot) => plot.id === id && plot.rows >= 5)), 'rows of levels');
  const csv = await page.evaluate(() => window.souple.csv('plot-levels') + '\n' + window.souple.csv('plot-load'));
  assert.match(csv, /active nodes/);
  assert.match(csv, /load of the budget/);
  const loads = await page.evaluate(() => window.souple.csv('plot-load').trim().split('\n').slice(1).map((row) => row.split(',').at(-1)));
  assert.ok(loads.some((value) => Number(value) > 0 && Number(value) <= 200), loads.join());
  await page.selectOption('#colour', 'level');
  await until(page, () => window.souple.state().colour === 'level' && window.souple.state().top > 0, 'colours by level');
});

check('plots: they fill, and a click saves them', async (stage) => {
  const server = await stage.serve('beam');
  const page = await stage.open(server);
  await page.click('#tab-plots');
  await until(page, () => {
    const plots = window.souple.plots();
    return ['plot-step', 'plot-rate', 'plot-energy', 'plot-solver', 'plot-measured-0']
      .every((id) => plots.some((plot) => plot.id === id && plot.rows >= 5));
  }, 'rows in all plots');

  const save = async (id) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click(`[id="${id}"]`)]);
    assert.match(download.suggestedFilename(), /\.csv$/);
    return parseCsv(readFileSync(await download.path(), 'utf8'));
  };
  const energy = await save('plot-energy-csv');
  assert.match(energy.columns[0], /time|wall/);
  assert.ok(energy.columns.some((name) => /kinetic/i.test(name)));
  assert.ok(energy.rows.length >= 5);
  for (const row of energy.rows) {
    assert.equal(row.length, energy.columns.length);
    assert.ok(row.every((cell) => cell === '' || Number.isFinite(Number(cell))), row.join(','));
  }
  const times = energy.rows.map((row) => Number(row[0]));
  assert.ok(times.every((time, i) => i === 0 || time >= times[i - 1]), 'time goes back');

  const all = await save('csv-all');
  assert.ok(all.columns.length > energy.columns.length);
  assert.ok(all.columns.some((name) => /tip/.test(name)), all.columns.join());
});
