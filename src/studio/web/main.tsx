import { batch, effect } from '@preact/signals';
import { render } from 'preact';

import { App } from './app.js';
import { RatePage } from './rate-page.js';
import { ReviewPage } from './review-page.js';
import { playing, selectedShot, start, tab, type Tab } from './state.js';
import { viewStart, zoom } from './timeline.js';

const TABS: readonly string[] = ['topic', 'map', 'compare', 'rate', 'export'] satisfies Tab[];
const asked = new URLSearchParams(location.search);
const study = asked.get('rate');
const root = document.getElementById('app')!;
// A rater's page never asks for the topic: its selection would give a method away.
if (study !== null) render(<RatePage study={study} rater={asked.get('rater')} />, root);
else if (location.pathname === '/review') render(<ReviewPage />, root);
else {
  followAddress();
  render(<App />, root);
  void start();
}

/** Tab, shot, film and zoom as the part of the address that stays with the browser; nothing for what is usual. */
function written(): string {
  const parts = new URLSearchParams();
  if (tab.value !== 'topic') parts.set('tab', tab.value);
  if (selectedShot.value) parts.set('shot', `${selectedShot.value.video}/${selectedShot.value.shot + 1}`);
  if (playing.value !== null) parts.set('plays', playing.value);
  if (zoom.value > 1) parts.set('zoom', zoom.value.toFixed(2));
  if (viewStart.value > 0) parts.set('from', viewStart.value.toFixed(2));
  return String(parts);
}

/** Shows what the address says. */
function read(): void {
  const parts = new URLSearchParams(location.hash.slice(1));
  const number = (name: string, usual: number): number => Number(parts.get(name)) || usual;
  const [, video, shot] = /^(.*)\/(\d+)$/s.exec(parts.get('shot') ?? '') ?? [];
  batch(() => {
    tab.value = TABS.includes(parts.get('tab') ?? '') ? (parts.get('tab') as Tab) : 'topic';
    selectedShot.value = video === undefined ? null : { video, shot: Number(shot) - 1 };
    playing.value = parts.get('plays');
    zoom.value = Math.max(1, number('zoom', 1));
    viewStart.value = Math.max(0, number('from', 0));
  });
}

/** Keeps address and page together: a reload, a bookmark or a link shows the same. Another tab is a step back in the browser. */
function followAddress(): void {
  read();
  let last = tab.value;
  effect(() => {
    const [hash, now] = [written(), tab.value];
    if (`#${hash}` === location.hash || (hash === '' && location.hash === '')) return;
    const address = `${location.pathname}${location.search}${hash === '' ? '' : `#${hash}`}`;
    if (now === last) history.replaceState(null, '', address);
    else history.pushState(null, '', address);
    last = now;
  });
  addEventListener('popstate', () => {
    read();
    last = tab.value;
  });
}
