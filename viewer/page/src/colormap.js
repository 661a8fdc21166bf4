// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Colours for values: from dark blue over green to light yellow, even steps of lightness, told apart with any kind of
// colour blindness and in grey. Made in Oklab by a formula.

// Value in 0..1 to sRGB in 0..1. Lightness is linear in the value; hue turns from violet to yellow; as colourful as
// screens can show at that lightness, up to a limit.
function colourAt(value) {
  const lightness = 0.37 + 0.56 * value;
  const hue = ((302 - 197 * value ** 0.92) * Math.PI) / 180;
  let chroma = 0.17;
  let rgb;
  do {
    rgb = oklabToRgb(lightness, chroma * Math.cos(hue), chroma * Math.sin(hue));
    chroma -= 0.002;
  } while (rgb.some((x) => x < 0 || x > 1) && chroma > 0);
  return rgb.map((x) => (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));
}

// Oklab (Ottosson 2020) to linear RGB
function oklabToRgb(L, a, b) {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const n = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * n,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * n,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * n,
  ];
}

// RGBA bytes of 256 colours
export function colourTable() {
  const table = new Uint8Array(256 * 4);
  for (let i = 0; i < 256; ++i) {
    const [r, g, b] = colourAt(i / 255);
    table.set([Math.round(255 * r), Math.round(255 * g), Math.round(255 * b), 255], 4 * i);
  }
  return table;
}

export function gradient(stops = 16) {
  const colours = [];
  for (let i = 0; i < stops; ++i) {
    const [r, g, b] = colourAt(i / (stops - 1));
    colours.push(`rgb(${Math.round(255 * r)} ${Math.round(255 * g)} ${Math.round(255 * b)})`);
  }
  return `linear-gradient(to right, ${colours.join(', ')})`;
}

export const colourUnits = {displacement: 'm', strain: '', stress: 'Pa', velocity: 'm/s'};
export const colourTitles = {
  none: 'Plain', displacement: 'Displacement', strain: 'Strain', stress: 'Von Mises stress', velocity: 'Velocity',
};
