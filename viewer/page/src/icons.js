// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Small drawings on a field of 24 by 24, in the colour of the text.

import {s} from './dom.js';

const paths = {
  play: 'M8 5.5v13l10.5-6.5z',
  pause: 'M8 5.5h2.6v13H8zM13.4 5.5H16v13h-2.6z',
  step: 'M7 5.5v13l8-6.5zM16 5.5h2.2v13H16z',
  reset: 'M12 6a6.5 6.5 0 1 1-6.1 4.3M5.2 4.8v5.7h5.7',
  grab: 'M8.5 12V6.8a1.4 1.4 0 0 1 2.8 0V11 5.6a1.4 1.4 0 0 1 2.8 0V11 6.8a1.4 1.4 0 0 1 2.8 0v6.7c0 3.6-2 6-5 6-2.6 0-3.9-1.2-5-3.3L5 13.4c-.8-1.5 1-2.8 2.2-1.5z',
  orbit: 'M12 5a7 7 0 1 0 0 14 7 7 0 0 0 0-14M5 12c0-1.6 3-3 7-3s7 1.4 7 3-3 3-7 3-7-1.4-7-3M12 5c-1.7 0-3 3.1-3 7s1.3 7 3 7 3-3.1 3-7-1.3-7-3-7',
  pin: 'M9 4.5h6l-1 5.5 3 3H7l3-3zM12 13v6.5',
  poke: 'M12 14.5m-5 0a5 5 0 1 0 10 0 5 5 0 1 0-10 0M12 3v4M9.8 5.2 12 7.4l2.2-2.2',
  cut: 'M5 19 15.5 8.5M13 6l5-2.5c1.5 3-.5 5.5-2.5 7.5z',
  carve: 'M4.5 15.5 12 8l6 6-5 5H8zM8 12l6 6M8 19h11.5',
  fit: 'M4.5 9V4.5H9M15 4.5h4.5V9M19.5 15v4.5H15M9 19.5H4.5V15',
  theme: 'M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16',
  help: 'M9 9.2a3 3 0 1 1 4.3 2.7c-.9.5-1.3 1-1.3 2.1M12 17.4v.6',
  panel: 'M4.5 5.5h15v13h-15zM14.5 5.5v13',
  list: 'M5 7h14M5 12h14M5 17h14',
  loop: 'M7 8h9a3 3 0 0 1 3 3v1M17 16H8a3 3 0 0 1-3-3v-1M9.5 5 6.5 8l3 3M14.5 13l3 3-3 3',
};
const filled = new Set(['play', 'pause', 'step']);

export function icon(name) {
  const drawing = s('svg', {viewBox: '0 0 24 24', width: 20, height: 20, 'aria-hidden': 'true', class: 'icon'});
  drawing.append(s('path', {d: paths[name], class: filled.has(name) ? 'filled' : 'outline'}));
  return drawing;
}
