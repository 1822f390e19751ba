import { useEffect } from 'preact/hooks';

import { Announcer } from './announce.js';
import { Compare } from './compare.js';
import { Export } from './export.js';
import { onKey } from './keyboard.js';
import { Map } from './map.js';
import { Rate } from './rate-tab.js';
import { tab, topic, videos, type Tab } from './state.js';
import { SteeringBar } from './steering-bar.js';
import { TopicFilm } from './topic-film.js';
import { Trouble } from './trouble.js';
import { VideoRow } from './video-row.js';
import { Why } from './why.js';
import { Working } from './working.js';

const TABS: readonly (readonly [Tab, string])[] = [
  ['topic', 'Topic'],
  ['map', 'Map'],
  ['compare', 'Compare'],
  ['rate', 'Rate'],
  ['export', 'Export'],
];

/** The studio: the topic on the left, the shot being looked at on the right. */
export function App() {
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const known = topic.value;
  const isAlone = tab.value === 'rate' || tab.value === 'export';
  return (
    <div class="studio">
      <header class="bar">
        <h1>
          {known?.name ?? 'Throughline Studio'}
          {videos.value.length > 0 && <small>{videos.value.length} videos</small>}
        </h1>
        <nav aria-label="Views" role="tablist">
          {TABS.map(([name, label]) => (
            <button key={name} role="tab" aria-selected={tab.value === name} onClick={() => (tab.value = name)}>
              {label}
            </button>
          ))}
        </nav>
        {!isAlone && <SteeringBar />}
      </header>
      <Trouble />
      <Working />
      <main>{videos.value.length > 0 ? <View /> : <Empty />}</main>
      {!isAlone && <Why />}
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
    <div class="rows">
      <TopicFilm />
      {videos.value.map((video) => (
        <VideoRow key={video.id} video={video} />
      ))}
      <Remarks />
    </div>
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
  const work = topic.value?.work;
  if (!work || work.state === 'analysing')
    return <p class="empty">Looking at the videos. The first ones take longest.</p>;
  return <p class="empty">{work.message ?? 'There is nothing here yet.'}</p>;
}
