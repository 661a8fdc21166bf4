// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Dark or light: as the system says, until someone chooses.

const key = 'souple-theme';

function chosen() {
  try {
    return localStorage.getItem(key); // pages from disk may not have a store
  } catch {
    return null;
  }
}

export function isDark() {
  return document.documentElement.dataset.theme === 'dark';
}

export function startTheme(app) {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    const theme = chosen() ?? (system.matches ? 'dark' : 'light');
    document.documentElement.dataset.theme = theme;
    app.emit('theme', theme === 'dark');
  };
  app.toggleTheme = () => {
    const theme = isDark() ? 'light' : 'dark';
    try {
      localStorage.setItem(key, theme);
    } catch {
      // holds for this page only
    }
    document.documentElement.dataset.theme = theme;
    app.emit('theme', theme === 'dark');
  };
  // Paper is light
  addEventListener('beforeprint', () => {
    document.documentElement.dataset.theme = 'light';
    app.emit('theme', false);
  });
  addEventListener('afterprint', apply);
  system.addEventListener('change', apply);
  apply();
}
