// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Plots (uPlot) that run along, or show a whole report. A plot is made when its pane is seen first, and made anew when the
// theme changes, for uPlot paints on a canvas.

import uPlot from 'uplot';
import {toCsv} from './csv.js';
import {h, save} from './dom.js';
import {shortNumber, unitText} from './format.js';
import {isDark} from './theme.js';

// Okabe and Ito's colours, which people with any colour vision tell apart; a little lighter on dark ground
const light = ['#0072b2', '#d55e00', '#009e73', '#b0528a', '#8a6d00', '#3c8fc4', '#555b66', '#9a4a00'];
const dark = ['#56b4e9', '#f08a3c', '#2fc79b', '#dd8fbd', '#e6c84b', '#8fb8ff', '#aab2bd', '#d0d0a0'];
const height = 132;

// As many digits as it takes to tell neighbours apart
function numbers(u, ticks) {
  const step = Math.abs(ticks[1] - ticks[0]) || 1;
  const size = Math.max(...ticks.map(Math.abs));
  const digits = Math.min(8, Math.max(3, Math.ceil(Math.log10(size / step)) + 1));
  return ticks.map((t) => (t === null ? '' : shortNumber(Math.abs(t) < 1e-6 * step ? 0 : t, digits)));
}

export function createPlots(app) {
  const box = h('div', {id: 'plot-list'});
  const all = h('button', {id: 'csv-all', type: 'button', onclick: () => save(fileName('all'), csv(null), 'text/csv')}, 'All as CSV');
  const pane = h('div', {}, h('div', {class: 'pane-head'}, all), box);
  let series = null;
  let cards = [];
  let visible = false;

  const fileName = (part) => `${app.scene?.name ?? 'souple'} ${part}.csv`.replace(/[^\w.-]+/g, '_');

  function csv(id) {
    if (!series) return '';
    const plot = series.plots.find((p) => p.id === id);
    const first = series.live ? series.all.slice(0, 2) : [series.x];
    return toCsv(plot ? [...first, ...plot.lines.map((l) => l.column)] : series.all);
  }

  function dataOf(plot) {
    const x = series.x.values;
    if (!plot.stacked) return [x, ...plot.lines.map((l) => l.column.values)];
    // Sums from below; the highest is drawn first and the lower ones over it
    let below = new Array(x.length).fill(0);
    const sums = plot.lines.map((l) => (below = below.map((sum, i) => sum + (l.column.values[i] ?? 0))));
    return [x, ...sums.reverse()];
  }

  function optionsOf(card, width) {
    const {plot} = card;
    const colours = isDark() ? dark : light;
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--quiet').trim();
    const rule = style.getPropertyValue('--rule').trim();
    const lines = plot.stacked ? [...plot.lines].reverse() : plot.lines;
    const colourOf = (l) => colours[plot.lines.indexOf(l) % colours.length];
    const axis = {stroke: ink, grid: {stroke: rule, width: 1}, ticks: {stroke: rule, width: 1, size: 4},
                  font: '10.5px system-ui, sans-serif', gap: 3};
    const used = new Set(lines.map((l) => l.scale));
    const axes = [{...axis, size: 24, space: 60, values: numbers}];
    if (used.has('y')) axes.push({...axis, scale: 'y', size: 56, space: 26, values: numbers});
    for (const scale of ['y2', 'log']) {
      if (!used.has(scale)) continue;
      const first = !used.has('y');
      axes.push({...axis, scale, size: 50, space: 26, side: first ? 3 : 1, grid: first ? axis.grid : {show: false},
                 values: scale === 'log' ? (u, ticks) => ticks.map((t) => (t === null ? '' : shortNumber(t, 1))) : numbers});
    }
    const pad = (u, min, max) => {
      if (min === null || max === null) return [0, 1];
      if (plot.stacked) return [0, max > 0 ? 1.08 * max : 1];
      const room = Math.max(0.08 * (max - min), 1e-3 * Math.abs(max)) || 1;
      return [min >= 0 && min < 0.3 * max ? 0 : min - room, max + room];
    };
    return {
      width, height, legend: {live: true}, padding: [6, used.size > 1 ? 0 : 8, 0, 0],
      cursor: {points: {size: 6}, drag: {x: false, y: false}, sync: {key: 'souple'}},
      scales: {x: {time: false, range: series.live ? liveRange : undefined}, y: {range: pad},
               y2: {range: (u, min, max) => [0, 1.15 * Math.max(max ?? 0, 1)]},
               log: {distr: 3, range: (u, min, max) => (min === null || !(max > 0) ? [1e-8, 1]
                 : [10 ** Math.floor(Math.log10(min)), 10 ** Math.ceil(Math.log10(max) + 0.01)])}},
      axes,
      series: [
        {label: series.live ? 't' : series.x.name, value: (u, v) => (v === null ? '' : `${v.toFixed(2)} s`)},
        ...lines.map((l) => ({
          label: l.name, scale: l.scale, stroke: colourOf(l), width: plot.stacked ? 0 : 1.5,
          fill: plot.stacked ? colourOf(l) : undefined, points: {show: false},
          value: (u, v, s, i) => (i === null ? '' : `${shortNumber(l.column.values[i])}${l.unit ? ` ${unitText(l.unit)}` : ''}`),
        })),
      ],
    };
  }

  // The last half minute of the scene, the same for all plots: time runs from right to left
  function liveRange() {
    const last = series.x.values.at(-1) ?? 0;
    return [Math.max(last - series.span, series.x.values[0] ?? 0, 0), Math.max(last, 0.1)];
  }

  function make(card) {
    card.chart?.destroy();
    const width = Math.max(120, Math.floor(card.holder.clientWidth));
    card.chart = new uPlot(optionsOf(card, width), dataOf(card.plot), card.holder);
    if (series.live) return;
    card.cursor = h('div', {class: 'time-cursor'});
    card.chart.over.append(card.cursor);
    card.chart.over.addEventListener('click', () => {
      const {left} = card.chart.cursor;
      if (left >= 0) app.player?.seek(card.chart.posToVal(left, 'x'));
    });
    moveCursor(card);
  }

  function moveCursor(card) {
    if (!card.cursor || !card.inSight || app.time === undefined) return;
    card.cursor.style.transform = `translateX(${card.chart.valToPos(app.time, 'x').toFixed(1)}px)`;
    if (!pointed(card)) card.chart.setLegend({idx: rowAt(app.time)}, false);
  }

  const pointed = (card) => card.chart.cursor.left >= 0;

  function rowAt(time) {
    const x = series.x.values;
    let low = 0;
    let high = x.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if (x[mid] <= time + 1e-6) low = mid;
      else high = mid - 1;
    }
    return low;
  }

  function cardOf(plot) {
    const holder = h('div', {class: 'chart'});
    const button = h('button', {id: `${plot.id}-csv`, type: 'button', class: 'plain small', 'aria-label': `Save ${plot.title} as CSV`,
                                onclick: () => save(fileName(plot.id), csv(plot.id), 'text/csv')}, 'CSV');
    const element = h('section', {id: plot.id, 'data-testid': plot.id, class: 'plot'},
      h('div', {class: 'plot-head'}, h('h3', {}, plot.title), button), holder);
    return {plot, holder, element, chart: null, cursor: null, inSight: false};
  }

  function setSeries(next) {
    sight.disconnect();
    for (const card of cards) card.chart?.destroy();
    series = next;
    cards = series.plots.map(cardOf);
    box.replaceChildren(...cards.map((card) => card.element));
    if (series.live) for (const card of cards) card.element.hidden = true;
    showFilled();
    for (const card of cards) sight.observe(card.element);
  }

  // Plots of nothing but gaps and zeros stay away
  function showFilled() {
    for (const card of cards) {
      if (card.element.hidden && card.plot.lines.some((l) => l.column.values.some((v) => v))) card.element.hidden = false;
    }
  }

  function updateCard(card) {
    if (!card.chart) make(card);
    const data = dataOf(card.plot);
    card.chart.setData(data);
    if (series.live && !pointed(card)) card.chart.setLegend({idx: data[0].length - 1}, false); // the present
  }

  // Plots that are in sight, one in each picture, by turns: a browser without a graphics card paints every canvas slowly,
  // and a browser that is late gets a rest four times as long
  let turn = 0;
  let waits = false;
  function update() {
    if (!visible || !series || waits) return;
    waits = true;
    const asked = performance.now();
    requestAnimationFrame(() => {
      const seen = cards.filter((card) => card.inSight);
      if (seen.length > 0) updateCard(seen[++turn % seen.length]);
      const late = performance.now() - asked;
      setTimeout(() => {
        waits = false;
        if (turn % Math.max(seen.length, 1) !== 0) update();
      }, late > 50 ? Math.min(4 * late, 2000) : 0);
    });
  }

  const sight = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const card = cards.find((c) => c.element === entry.target);
      if (!card) continue;
      card.inSight = entry.isIntersecting;
      if (card.inSight && (series.live || !card.chart)) updateCard(card);
    }
  }, {rootMargin: '80px'});

  new ResizeObserver(() => {
    visible = box.clientWidth > 0;
    if (!visible) return;
    for (const card of cards) {
      const width = Math.floor(card.holder.clientWidth);
      if (card.chart && width > 0 && width !== card.chart.width) card.chart.setSize({width, height});
      if (card.chart) moveCursor(card);
    }
  }).observe(box);

  app.on('theme', () => {
    for (const card of cards) if (card.chart) make(card);
  });
  app.on('seek', () => {
    for (const card of cards) moveCursor(card);
  });

  // Rows come ten times a second; how often they are painted depends on how long the browser takes for it, so that plots
  // never keep the page from its other work
  let timer = 0;
  let rest = 0;
  function schedule() {
    if (timer !== 0) return;
    timer = setTimeout(() => {
      const begin = performance.now();
      update();
      requestAnimationFrame(() => setTimeout(() => {
        rest = Math.min(2 * (performance.now() - begin), 3000);
        timer = 0;
      }));
    }, rest);
  }

  return {
    pane, setSeries, update, csv,
    probe(name) {
      app.probeValues = null;
      series.setProbe(name);
      setSeries(series);
    },
    // For a report: time first, each with its group
    columns: () => series?.columns() ?? [],
    list: () => (series?.plots ?? []).map((plot) =>
      ({id: plot.id, columns: plot.lines.map((l) => l.name), rows: series.x.values.length})),
    push(stats, pictures) {
      series?.push(stats, pictures, app.probeValues);
      showFilled();
      if (visible) schedule();
    },
  };
}
