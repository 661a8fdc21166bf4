// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Pictures that come late are made cheaper: fewer pixels, smaller shadows; when they have come in time for long, better
// ones are tried again. What counts is how long the browser lets a picture wait plus what the page itself does for it, not
// how often the engine sends one. What stands still is drawn once more as well as it can be.

const levels = [
  {ratio: 2, shadow: 2048},
  {ratio: 1.25, shadow: 1024},
  {ratio: 1, shadow: 1024},
  {ratio: 0.75, shadow: 512},
  {ratio: 0.55, shadow: 512},
];
const slow = 40; // ms
const quick = 14; // ms
const patience = 12; // pictures that are a little late, fewer that are very late
const rest = 500; // ms without a picture after which it stands still

// `best` is the level to begin with, `still` what things at rest are drawn with; null means that level too.
// Another size of the picture costs much, so nothing changes between the pictures of something that moves slowly: `atRest`
// says whether nothing will.
export function createQuality(apply, redraw, atRest, best, still) {
  let level = best;
  let shown = null;
  let late = 0;
  let good = 0;
  let hope = 240; // pictures in time before a better level is tried; more after every failure
  let usual = 0; // lateness, ms
  let warm = 0;
  let timer = 0;

  function show(next) {
    if (next === shown) return;
    shown = next;
    apply(next);
  }

  function standStill() {
    timer = 0;
    if (!atRest()) return;
    const wanted = still ?? levels[best];
    if (shown === wanted) return;
    show(wanted);
    redraw();
  }

  return {
    get level() {
      return level;
    },
    // Whether what stands still may yet be drawn once more
    get waiting() {
      return timer !== 0;
    },
    begin() {
      show(levels[best]);
    },
    restart() {
      warm = 0;
      late = 0;
    },
    // Before a picture that is one of many
    move() {
      show(levels[level]);
      clearTimeout(timer);
      timer = setTimeout(standStill, rest);
    },
    // Time to leave to the rest of the page before the next picture, ms
    breath() {
      return usual > slow ? Math.min(200, 0.6 * usual) : 0;
    },
    // Lateness of a picture, ms
    note(lateness) {
      usual += 0.2 * (lateness - usual);
      if (shown !== levels[level] || ++warm < 4) return; // shaders are compiled in the first ones
      late = lateness > slow ? late + Math.min(4, lateness / slow) : Math.max(0, late - 1);
      good = lateness < quick ? good + 1 : 0;
      if (late >= patience && level + 1 < levels.length) {
        ++level;
        hope *= 2;
      } else if (good >= hope && level > best) {
        --level;
      } else {
        return;
      }
      late = good = warm = 0;
    },
  };
}
