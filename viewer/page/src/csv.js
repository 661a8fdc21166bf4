// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Columns as CSV: a line of names with units, then numbers; empty where there is none.

function quote(text) {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function toCsv(columns) {
  const head = columns.map((c) => quote(c.unit ? `${c.name} [${c.unit}]` : c.name));
  const lines = [head.join(',')];
  for (let i = 0; i < columns[0].values.length; ++i) {
    lines.push(columns.map((c) => (c.values[i] === null || c.values[i] === undefined ? '' : String(c.values[i]))).join(','));
  }
  return `${lines.join('\n')}\n`;
}
