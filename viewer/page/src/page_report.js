// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The page of a report: a player where there are frames, and a document.

import {decode} from './decode.js';
import {h} from './dom.js';
import {createPlayer} from './player.js';
import {createFacts, createSections, createSource} from './sections.js';
import {createReportSeries} from './series.js';
import {iconButton} from './toolbar.js';
import {createViewSettings} from './view_settings.js';

// A few frames of all
function sample(frames) {
  const step = Math.ceil(frames.length / 60);
  return frames.filter((_, i) => i % step === 0);
}

export function buildReport(app, panel, stage, bottom, plots, view3d) {
  let sections = {title: '', summary: '', sections: []};
  let hasSeries = false;
  app.on('sections', (message) => (sections = message));
  app.on('series', (message) => {
    hasSeries = message.columns.length > 1 && message.rowCount > 0;
    if (hasSeries) plots.setSeries(createReportSeries(message));
  });

  // The frame that is there, in another colour or another way
  app.show = () => app.player?.again();
  app.on('range', () => app.player?.again());

  function begin(frames, showFrame) {
    const {head, body} = createSections({
      ...sections, title: sections.title || app.scene?.name,
      summary: [app.scene?.description, sections.summary].filter(Boolean).join('\n'),
    });
    const play = frames.length > 0 && view3d !== null;
    document.body.classList.toggle('no-frames', frames.length === 0);
    document.title = `${sections.title || app.scene?.name || 'Report'} – Souple`;
    const buttons = [
      iconButton('theme', 'theme', 'Dark or light (d)', () => app.toggleTheme()),
      iconButton('help', 'help', 'Keys (?)', () => app.openHelp()),
    ];
    panel.append(h('div', {class: 'document'},
      h('div', {class: 'document-head'}, head, frames.length === 0 ? h('div', {class: 'bar plain-bar'}, buttons) : null),
      play ? h('details', {class: 'group'}, h('summary', {}, 'View'), createViewSettings(app, view3d)) : null,
      hasSeries ? plots.pane : null,
      body,
      h('section', {class: 'report-section'}, h('h2', {}, 'How it was made'),
        createFacts([...(app.version ? [['souple', app.version]] : []), ...app.facts]),
        app.scene?.text ? createSource(app.scene.text) : null)));
    panel.classList.add('report');
    app.setStatus('ready');
    if (!play) return;
    stage.append(h('div', {id: 'tools', class: 'float bar'},
      iconButton('fit', 'fit', 'Whole scene in view (f)', () => view3d.fit()), buttons,
      iconButton('panel-toggle', 'panel', 'Panel (b)', () => app.togglePanel(), {'aria-expanded': 'true', 'aria-controls': 'panel'})));
    const guarded = (bytes) => {
      try {
        showFrame(bytes);
      } catch (error) {
        app.notify('error', `This frame cannot be shown: ${error.message}.`);
      }
    };
    // Room for the whole motion, in the colour that says most
    const some = sample(frames).map(({bytes}) => decode(bytes)).filter((frame) => frame?.bodies);
    view3d.setMotion(some);
    if (some[0]?.colour === 'stress' && app.scene?.colours?.stress) app.setColour('stress');
    bottom.children[0].after(createPlayer(app, frames, guarded));
    stage.append(bottom.children[0].firstChild); // what is drawn stands above, so that the slider is long
    bottom.firstChild.remove();
    bottom.lastChild.remove();
    addEventListener('beforeprint', () => app.player.again());
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches) app.player.play();
  }
  return {begin};
}
