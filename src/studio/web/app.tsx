import { useEffect, useRef } from 'preact/hooks';

import { Announcer } from './announce.js';
import { ClipList } from './clip-list.js';
import { Compare } from './compare.js';
import { DropTarget, Picker, send, Sendings, Welcome } from './drop.js';
import { Export } from './export.js';
import { isSheetOpen, onKey } from './keyboard.js';
import { Map } from './map.js';
import { Rate } from './rate-tab.js';
import { clips, command, isBusy, isEditing, isLockedOut, tab, titleOf, topic, videos, type Tab } from './state.js';
import { SteeringBar } from './steering-bar.js';
import { countOf } from './time.js';
import { Trouble, Working } from './trouble.js';
import { KeyList, Why } from './why.js';

const TABS: readonly (readonly [Tab, string])[] = [
  ['topic', 'Topic'],
  ['export', 'Export'],
  ['compare', 'Compare'],
  ['map', 'Map'],
  ['rate', 'Rate'],
];

/** One stop of the Tab key; the arrow keys go on from there. */
function onTabKey(event: KeyboardEvent): void {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
  const at = TABS.findIndex(([name]) => name === tab.value);
  const next = (at + step + TABS.length) % TABS.length;
  tab.value = TABS[next]![0];
  (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('[role="tab"]')[next]?.focus();
}

/** The studio: the topic on the left, the shot being looked at on the right. */
export function App() {
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    // What sticks below the bar must know how high it is; narrow windows give it two lines.
    const watch = new ResizeObserver(() =>
      document.documentElement.style.setProperty('--bar', `${bar.current?.offsetHeight ?? 64}px`),
    );
    if (bar.current) watch.observe(bar.current);
    return () => watch.disconnect();
  }, []);
  const known = topic.value;
  const isListed = clips.value.length > 0 && (videos.value.length > 0 || isBusy.value);
  const isAlone = tab.value === 'rate' || tab.value === 'export';
  return (
    <div class="studio">
      <header class="bar" ref={bar}>
        <h1 title={known?.folder ?? ''}>
          {known ? titleOf(known.name) : 'Throughline Studio'}
          {clips.value.length > 0 && <small>{countOf(clips.value.length, 'video')}</small>}
        </h1>
        {videos.value.length > 0 && <Picker label="Add videos" onPick={(files) => void send(files, '')} />}
        {videos.value.length > 0 && <DropTarget />}
        <nav aria-label="Views" role="tablist" hidden={videos.value.length === 0} onKeyDown={onTabKey}>
          {TABS.map(([name, label]) => (
            <button
              key={name}
              role="tab"
              tabIndex={tab.value === name ? 0 : -1}
              aria-selected={tab.value === name}
              onClick={() => (tab.value = name)}
            >
              {label}
            </button>
          ))}
        </nav>
        {!isAlone && <SteeringBar />}
      </header>
      <Trouble />
      <Sendings />
      <Working />
      <main aria-busy={isEditing.value}>{isListed ? <View /> : <Empty />}</main>
      {!isAlone && isListed && <Why />}
      {isSheetOpen.value && <KeySheet />}
      <Announcer />
    </div>
  );
}

function View() {
  if (tab.value === 'map') return <Map />;
  if (tab.value === 'compare') return <Compare />;
  if (tab.value === 'rate') return <Rate />;
  if (tab.value === 'export') return <Export />;
  return (
    <>
      <ClipList />
      <Remarks />
    </>
  );
}

/** All keys, on `?`. */
function KeySheet() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog class="key-sheet" ref={dialog} aria-label="Keys" onClose={() => (isSheetOpen.value = false)}>
      <h2>Keys</h2>
      <KeyList />
      <button onClick={() => (isSheetOpen.value = false)}>Close</button>
    </dialog>
  );
}

function Remarks() {
  const lines = [...(topic.value?.skipped ?? []), ...(topic.value?.notes ?? [])];
  if (lines.length === 0) return null;
  return (
    <section class="remarks" aria-label="Notes">
      <h2>Notes</h2>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}

function Empty() {
  const known = topic.value;
  if (isLockedOut.value) return null;
  if (!known) return <p class="empty">Opening the topic…</p>;
  if (known.work.state === 'analysing') {
    return (
      <p class="empty">
        {known.known === 0 ? 'Analysing the videos.' : `Analysing ${countOf(known.known, 'video')}.`} This is done once;
        next time the topic opens right away.
      </p>
    );
  }
  if (known.known === 0 || known.work.state === 'failed') return <Welcome />;
  return (
    <div class="empty">
      <p>
        The analysis of {known.known === 1 ? 'this video' : `these ${known.known} videos`} is not finished, so there are
        no shots to show yet.
      </p>
      <button class="primary" onClick={() => void command('look')}>
        Analyse {known.known === 1 ? 'the video' : 'the videos'}
      </button>
    </div>
  );
}
