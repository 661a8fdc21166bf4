// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Plays the frames of a report: the bar with the time slider.

import {h} from './dom.js';
import {icon} from './icons.js';
import {iconButton} from './toolbar.js';

export function createPlayer(app, frames, show) {
  let index = 0;
  let playing = false;
  let looping = true;
  let rate = 1;
  let began = 0; // wall clock, ms, at which `from` was shown
  let from = 0; // s

  const first = frames[0].time;
  const last = frames.at(-1).time;
  const play = iconButton('play', 'play', 'Play (space)', () => setPlaying(!playing), {'aria-pressed': 'false'});
  const loop = iconButton('loop', 'loop', 'Again and again', () => {
    looping = !looping;
    loop.setAttribute('aria-pressed', String(looping));
  }, {'aria-pressed': 'true'});
  const slider = h('input', {id: 'seek', type: 'range', min: 0, max: frames.length - 1, step: 1, value: 0, 'aria-label': 'Time'});
  const time = h('output', {id: 'time', class: 'clock'});
  const speed = h('select', {id: 'play-speed', 'aria-label': 'Speed'},
    [0.1, 0.25, 0.5, 1, 2, 4].map((x) => h('option', {value: x, selected: x === 1}, `${x}×`)));

  function showIndex(next, force = false) {
    next = Math.min(frames.length - 1, Math.max(0, next));
    if (next === index && !force) return;
    index = next;
    slider.value = index;
    time.textContent = `${frames[index].time.toFixed(2)} / ${last.toFixed(2)} s`;
    slider.setAttribute('aria-valuetext', `${frames[index].time.toFixed(2)} s`);
    app.time = frames[index].time;
    show(frames[index].bytes);
    app.emit('seek', frames[index].time);
  }

  function indexAt(t) {
    let low = 0;
    let high = frames.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if (frames[mid].time <= t + 1e-9) low = mid;
      else high = mid - 1;
    }
    return low;
  }

  function restartClock() {
    began = performance.now();
    from = frames[index].time;
  }

  function tick(now) {
    if (!playing) return;
    const t = from + (rate * Math.max(0, now - began)) / 1000;
    if (t >= last) {
      showIndex(frames.length - 1);
      if (!looping) return setPlaying(false);
      // rest at the end for a moment, so that one sees it
      if (t > last + 0.4 * rate) {
        showIndex(0);
        restartClock();
      }
    } else {
      showIndex(indexAt(t));
    }
    requestAnimationFrame(tick);
  }

  function setPlaying(now) {
    playing = now && frames.length > 1;
    play.replaceChildren(icon(playing ? 'pause' : 'play'));
    play.setAttribute('aria-pressed', String(playing));
    if (!playing) return;
    if (index === frames.length - 1) showIndex(0);
    restartClock();
    requestAnimationFrame(tick);
  }

  slider.addEventListener('input', () => {
    setPlaying(false);
    showIndex(Number(slider.value));
  });
  speed.addEventListener('change', () => {
    rate = Number(speed.value);
    restartClock();
  });

  app.player = {
    count: frames.length, first, last,
    get playing() {
      return playing;
    },
    get index() {
      return index;
    },
    go(by) {
      setPlaying(false);
      showIndex(index + by);
    },
    seek(t) {
      setPlaying(false);
      showIndex(indexAt(t));
    },
    play: () => setPlaying(true),
    again: () => showIndex(index, true), // the same frame, drawn in another way
  };
  const bar = h('div', {id: 'transport', class: 'float bar wide', role: 'group', 'aria-label': 'Time'},
    play, slider, time, speed, loop);
  if (frames.length === 1) for (const control of [play, slider, speed, loop]) control.disabled = true;
  showIndex(0, true);
  return bar;
}
