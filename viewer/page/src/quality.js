// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Pictures that come late are made cheaper: fewer pixels, smaller shadows, at last none. What counts is how long the
// browser lets a picture wait plus what the page itself does for it, not how often the engine sends one.

const levels = [
  {ratio: 2, shadow: 2048},
  {ratio: 1.25, shadow: 1024},
  {ratio: 1, shadow: 1024},
  {ratio: 0.75, shadow: 512},
  {ratio: 0.5, shadow: 0},
];
const slow = 42; // ms
const patience = 14; // pictures

export function createQuality(apply, first) {
  let level = first;
  let late = 0;
  let warm = 0;
  return {
    get level() {
      return level;
    },
    apply() {
      apply(levels[level]);
    },
    restart() {
      warm = 0;
      late = 0;
    },
    // Lateness of a picture, ms
    note(lateness) {
      if (++warm < 10) return; // shaders are compiled in the first ones
      late = lateness > slow ? late + 1 : Math.max(0, late - 1);
      if (late < patience || level + 1 === levels.length) return;
      late = 0;
      warm = 0;
      ++level;
      apply(levels[level]);
    },
  };
}
