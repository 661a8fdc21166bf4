// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Colours for values: from dark violet over green to light yellow, even steps of lightness, told apart with any kind of
// colour blindness and in grey. The same as in pictures: anchors of src/record/ramp.c, mixed between.

const anchors = [0x350d5d, 0x332f7f, 0x235197, 0x0673a1, 0x0c92a4, 0x00b2a0, 0x55cf88, 0xabe263, 0xf8ee42];

// Value in 0..1 to sRGB in 0..1
function colourAt(value) {
  const below = Math.min(Math.floor(value * (anchors.length - 1)), anchors.length - 2);
  const part = value * (anchors.length - 1) - below;
  return [16, 8, 0].map((shift) => {
    const a = (anchors[below] >> shift) & 255;
    const b = (anchors[below + 1] >> shift) & 255;
    return (a + part * (b - a)) / 255;
  });
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

export const colourUnits = {displacement: 'm', strain: '', stress: 'Pa', velocity: 'm/s', pressure: 'Pa', modulus: 'Pa', level: '', region: ''};
export const colourTitles = {
  none: 'Plain', displacement: 'Displacement', strain: 'Strain', stress: 'Von Mises stress', velocity: 'Velocity', pressure: 'Contact pressure',
  modulus: 'Young\u2019s modulus', level: 'Level', region: 'Region of the mesh',
};
