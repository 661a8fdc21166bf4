// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Numbers as people read them.

const prefixes = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n']];
const plainUnits = new Set(['Pa', 'N', 'J', 'm', 's', 'W', 'Hz', 'N/m', 'm/s', 'g']);

// Three digits that count.
export function shortNumber(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) {
    return value.toExponential(digits - 1).replace(/\.?0+e/, 'e').replace('e+', 'e').replace('-', '−').replace('e-', 'e−');
  }
  const text = value.toPrecision(digits);
  return (text.includes('e') ? String(Number(text)) : text).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '')
    .replace('-', '−');
}

// With the unit, and a prefix where the unit takes one.
export function withUnit(value, unit) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (!unit || unit === '1') return shortNumber(value);
  if (plainUnits.has(unit) && value !== 0) {
    const size = Math.abs(value);
    const [scale, letter] = prefixes.find(([limit]) => size >= limit * 0.9995) ?? prefixes.at(-1);
    return `${shortNumber(value / scale)} ${letter}${unit}`;
  }
  return `${shortNumber(value)} ${unitText(unit)}`;
}

// m/s^2 with its power as a power
export function unitText(unit) {
  return (unit ?? '').replace(/\^2/g, '²').replace(/\^3/g, '³');
}

// What a number field shows: enough digits, no noise of single precision.
export function fieldNumber(value) {
  return String(Number(Number(value).toPrecision(5)));
}

// Round ticks from 0 to top, about `count` of them.
export function roundTicks(top, count = 5) {
  if (!(top > 0) || !Number.isFinite(top)) return [0];
  const rough = top / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((x) => x >= rough * 0.999);
  const ticks = [];
  for (let i = 0; i * step <= top * 1.0001; ++i) ticks.push(i * step);
  return ticks;
}
