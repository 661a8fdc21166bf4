// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The document of a report: title, summary, tables and plots, the scene, the machine.

import {h} from './dom.js';

function paragraphs(text) {
  return (text ?? '').split(/\n\s*\n/).filter((part) => part.trim()).map((part) => h('p', {}, part.trim()));
}

// Also what is missing, and what is only about right
const looksNumeric = /^(-|~?[-−+]?[\d.,]+(e[-−+]?\d+)?\s*(%|×|[a-zA-Zµ/^0-9]{1,6})?)$/;

// Verdicts that a reader looks for
const verdicts = {differs: 'verdict-bad', short: 'verdict-bad', 'not judged': 'verdict-open'};

function table({columns = [], rows = []}) {
  const numeric = columns.map((_, i) => rows.some((row) => row[i]) &&
    rows.every((row) => !row[i] || looksNumeric.test(row[i].trim())));
  const kind = (i, cell) => (numeric[i] ? 'numeric' : verdicts[cell] ?? null);
  return h('div', {class: 'table-box', tabindex: 0, role: 'region', 'aria-label': 'Table'},
    h('table', {},
      h('thead', {}, h('tr', {}, columns.map((name, i) => h('th', {scope: 'col', class: kind(i)}, name)))),
      h('tbody', {}, rows.map((row) => h('tr', {}, row.map((cell, i) => h('td', {class: kind(i, cell)}, cell)))))));
}

// As an image, so that nothing in it can run
function plot(svg, heading) {
  const source = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  return h('img', {class: 'svg-plot', alt: `Plot: ${heading}`, src: source});
}

export function createSections({title, summary, sections = []}) {
  return {
    head: h('header', {class: 'report-head'}, h('h1', {id: 'report-title'}, title || 'Report'),
      h('div', {id: 'report-summary'}, paragraphs(summary))),
    body: h('div', {id: 'sections'}, sections.map((section) =>
      h('section', {class: 'report-section'}, h('h2', {}, section.heading ?? ''), paragraphs(section.text),
        section.table ? table(section.table) : null, section.svg ? plot(section.svg, section.heading ?? '') : null))),
  };
}

export function createFacts(facts) {
  return h('dl', {id: 'facts'}, facts.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, String(value))]));
}

export function createSource(text) {
  return h('details', {id: 'source', class: 'source'}, h('summary', {}, 'Scene file'), h('pre', {tabindex: 0}, text ?? ''));
}
