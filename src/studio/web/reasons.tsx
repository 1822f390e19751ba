import { useEffect, useState } from 'preact/hooks';

import type { Shot, Video, Why } from '../contract.js';
import { ask } from './api.js';
import { selection, showError } from './state.js';
import { nameOf, Peer, Takes } from './takes.js';
import { filmShots } from './timeline.js';

/** Why a shot is in the film or not, what could play instead, and the figures behind it. */
export function Reasons({ video, shot: { index: shot, rank } }: { readonly video: Video; readonly shot: Shot }) {
  const [reason, setReason] = useState<(Why & { readonly of: string }) | null>(null);
  const of = `${video.id}#${shot}`;
  useEffect(() => {
    const stop = new AbortController();
    const parameters = { video: video.id, shot: String(shot) };
    ask('why', { parameters, signal: stop.signal }).then(
      (found) => setReason({ ...found, of }),
      (error: unknown) => {
        if (!stop.signal.aborted) showError(error);
      },
    );
    return () => stop.abort();
  }, [of, selection.value]);
  // The reasons of the last shot are not those of this one.
  if (reason?.of !== of) return null;
  const filmAt = filmShots.value.findIndex((each) => each.video === video.id && each.shot === shot);
  const inFilm = filmShots.value[filmAt];
  const total = reason.own ** 2 + reason.shared ** 2;
  const percent = (part: number): string => `${Math.round(100 * part)} %`;
  return (
    <>
      <h3>Why</h3>
      <p>{(inFilm ?? reason).reason}</p>
      {inFilm && inFilm.reason !== reason.reason && (
        <p class="hint">In the summary of its own video: {reason.reason}</p>
      )}
      <Takes takes={reason.alternatives} filmAt={filmAt} />
      <details>
        <summary>Research</summary>
        <p>
          Rank {rank + 1} in its video
          {total > 0 &&
            `; ${percent(reason.own ** 2 / total)} for its own video, ${percent(reason.shared ** 2 / total)} for the others`}
          .
        </p>
        <ul class="support">
          {reason.support.map((peer) => (
            <Peer key={peer.video} video={peer.video} shot={peer.shot}>
              <meter min={0} max={1} value={peer.share} aria-label={`Share of ${nameOf(peer.video)}`} />
              <span class="number">{percent(peer.share)}</span>
            </Peer>
          ))}
        </ul>
      </details>
    </>
  );
}

/** What to do, and what the bars below pictures mean. */
export function Legend() {
  return (
    <div class="hint legend">
      <p>
        Choose a shot to play it and see why it matters. <kbd>?</kbd> shows all keys.
      </p>
      <p>The bar below a shot shows how much it matters:</p>
      <ul class="key">
        <li>
          <i class="own" /> for its own video
        </li>
        <li>
          <i class="shared" /> for the other videos
        </li>
      </ul>
    </div>
  );
}
