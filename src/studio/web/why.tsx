import { useEffect, useState } from 'preact/hooks';

import type { TopicFilm, Why as Reason } from '../contract.js';
import { ask } from './api.js';
import { ClipOrder } from './clip-order.js';
import { Counterparts, nameOf, Peer } from './counterparts.js';
import { KEYS } from './keyboard.js';
import { ReelPlayer } from './reel-player.js';
import { clips, goThere, openClip, place, playing, selection, shotAt, tell, TOPIC, videoById, wish } from './state.js';
import { clock, countOf } from './time.js';
import { lengthOf } from './timeline.js';
import { FilmPanel } from './topic-film.js';

/** What is being looked at: a film, a summary, a clip or a shot, with why it is there, and what to do about it. */
export function Why() {
  if (playing.value === TOPIC) return <FilmPanel />;
  if (playing.value !== null) return <SummaryPanel key={playing.value} id={playing.value} />;
  if (openClip.value !== null) return <ClipPanel key={openClip.value} id={openClip.value} />;
  return <ShotPanel key={`${place.value?.video}#${place.value?.shot}`} />;
}

/** A whole clip, analysed or not. */
function ClipPanel({ id }: { readonly id: string }) {
  const clip = clips.value.find((each) => each.id === id);
  if (!clip) return null;
  const seconds = lengthOf(clip) || 3600;
  return (
    <aside class="panel" aria-label="Clip">
      <header>
        <h2>{clip.name}</h2>
        <button onClick={() => (openClip.value = null)}>Close</button>
      </header>
      <ReelPlayer stretches={[{ video: id, from: 0, to: seconds }]} nameOf={nameOf} />
      <p class="hint">
        The whole clip{clip.seconds === null ? '' : `, ${clock(seconds)}`}. I and O set where its part in the film
        begins and ends.
      </p>
    </aside>
  );
}

function SummaryPanel({ id }: { readonly id: string }) {
  const video = videoById.value.get(id);
  if (!video) return null;
  const { clips: played } = video;
  return (
    <aside class="panel" aria-label="Summary">
      <header>
        <h2>{video.name}</h2>
        <button onClick={() => (playing.value = null)}>Close</button>
      </header>
      <ReelPlayer stretches={played.map(({ from, to }) => ({ video: id, from, to }))} nameOf={nameOf} />
      {played.length > 1 && <ClipOrder video={video} />}
      <p>
        {countOf(played.length, 'clip')}, {clock(video.chosenSeconds)}. Plays from the original.
      </p>
    </aside>
  );
}

/** What every key does. */
export function KeyList() {
  return (
    <dl>
      {KEYS.map(([keys, meaning]) => (
        <div key={keys}>
          <dt>{keys}</dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}

function ShotPanel() {
  const found = shotAt(place.value);
  const [reason, setReason] = useState<Reason | null>(null);
  const [video, shot] = [found?.video.id, found?.shot.index];
  useEffect(() => {
    if (video === undefined || shot === undefined) return;
    const stop = new AbortController();
    ask('why', { parameters: { video, shot: String(shot) }, signal: stop.signal }).then(setReason, (error: unknown) => {
      if (!stop.signal.aborted) tell(error);
    });
    return () => stop.abort();
  }, [video, shot, selection.value]);
  if (!found) {
    return (
      <aside class="panel hint" aria-label="Help">
        <p>Choose a shot to play it and see why it matters.</p>
        <KeyList />
        <p>The bar below a shot shows how much it matters:</p>
        <ul class="key">
          <li>
            <i class="own" /> for its own video
          </li>
          <li>
            <i class="shared" /> for the other videos
          </li>
        </ul>
      </aside>
    );
  }
  const { shot: at } = found;
  const inFilm = selection.value?.film?.shots.find((each) => each.video === video && each.shot === shot) ?? null;
  return (
    <aside class="panel" aria-label="Why this shot">
      <header>
        <h2>
          Shot {at.index + 1} <small>{found.video.name}</small>
        </h2>
        <button onClick={() => (place.value = null)}>Close</button>
      </header>
      <ReelPlayer stretches={[{ video: found.video.id, from: at.from, to: at.to }]} nameOf={nameOf} />
      <p>
        {clock(at.from)}–{clock(at.to)}
        {at.bad !== null && <em> · {at.bad}</em>}
      </p>
      <div class="actions">
        <button aria-pressed={at.pinned} onClick={() => void wish('pin', found)}>
          {at.pinned ? 'Unpin' : 'Pin'}
        </button>
        <button aria-pressed={at.vetoed} onClick={() => void wish('veto', found)}>
          {at.vetoed ? 'Remove veto' : 'Veto'}
        </button>
        <button onClick={() => goThere(found)} title="Show it among the shots of its video">
          Go to shot
        </button>
      </div>
      {reason && <Reasons reason={reason} rank={at.rank} inFilm={inFilm} />}
    </aside>
  );
}

type FilmShot = TopicFilm['shots'][number];

function Reasons({
  reason,
  rank,
  inFilm,
}: {
  readonly reason: Reason;
  readonly rank: number;
  readonly inFilm: FilmShot | null;
}) {
  const total = reason.own ** 2 + reason.shared ** 2;
  const percent = (part: number): string => `${Math.round(100 * part)} %`;
  return (
    <>
      <h3>Why</h3>
      <p>{(inFilm ?? reason).reason}</p>
      {inFilm && <p class="hint">In the summary of its own video: {reason.reason}</p>}
      <Counterparts places={(inFilm ?? reason).counterparts} />
      <details>
        <summary>Research</summary>
        <p>
          Rank {rank + 1} in its video
          {total > 0 &&
            `; ${percent(reason.own ** 2 / total)} for its own video, ${percent(reason.shared ** 2 / total)} for the others`}
          .
        </p>
        <ul class="support">
          {reason.support.map(({ video, share, shot }) => (
            <Peer key={video} video={video} shot={shot}>
              <meter min={0} max={1} value={share} aria-label={`Share of ${nameOf(video)}`} />
              <span class="number">{percent(share)}</span>
            </Peer>
          ))}
        </ul>
      </details>
    </>
  );
}
