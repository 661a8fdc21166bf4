// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Search over the whole text of the site: sections that have all words, those with a word in their heading first.
(() => {
  const most = 40;
  const area = document.getElementById('titlearea');
  if (!area || !window.soupleText) return;
  const field = Object.assign(document.createElement('input'), {type: 'search', id: 'find', placeholder: 'Search', autocomplete: 'off'});
  field.setAttribute('aria-label', 'Search all pages');
  const list = Object.assign(document.createElement('div'), {id: 'found', hidden: true});
  area.append(field);
  document.body.append(list);

  function rank([page, heading, address, text], words) {
    const all = `${page} ${heading} ${text}`.toLowerCase();
    if (!words.every((word) => all.includes(word))) return 0;
    const named = (name) => words.filter((word) => name.toLowerCase().includes(word)).length;
    return 1 + 8 * named(heading) + 4 * named(page) + (/^[a-z]+\.html/.test(address) ? 2 : 0);
  }

  function around(text, word) {
    const at = Math.max(0, text.toLowerCase().indexOf(word));
    return `${at > 60 ? '… ' : ''}${text.slice(Math.max(0, at - 60), at + 110).trim()} …`;
  }

  function show() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length === 0 ? [] : window.soupleText.map((entry) => [rank(entry, words), entry])
      .filter(([value]) => value > 0).sort((a, b) => b[0] - a[0]).slice(0, most);
    list.replaceChildren(...found.map(([, [page, heading, address, text]]) => {
      const link = Object.assign(document.createElement('a'), {href: address});
      const title = Object.assign(document.createElement('strong'), {textContent: heading && heading !== page ? `${page}: ${heading}` : page});
      const words0 = Object.assign(document.createElement('span'), {textContent: around(text, words[0])});
      link.append(title, words0);
      return link;
    }));
    if (words.length > 0 && found.length === 0) list.textContent = 'Nothing has all these words.';
    list.hidden = words.length === 0;
  }

  field.addEventListener('input', show);
  field.addEventListener('focus', show);
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape') list.hidden = true;
    if (event.key === '/' && document.activeElement === document.body) {
      event.preventDefault();
      field.focus();
    }
    if (!list.hidden && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      const links = [...list.querySelectorAll('a')];
      const next = links.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1);
      (links[next] ?? field).focus();
    }
    if (event.key === 'Enter' && document.activeElement === field) list.querySelector('a')?.click();
  });
  addEventListener('pointerdown', (event) => {
    if (!list.contains(event.target) && event.target !== field) list.hidden = true;
  });
})();
