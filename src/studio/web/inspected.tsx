import { colourOf } from './colours.js';
import { videos, type ShotRef } from './state.js';
import { countOf } from './time.js';
import { ShotCell } from './clip-list.js';

/** More pictures than this say less than their number does. */
const MAX = 120;

/** The shots one drew a line around: how many of each video, and their pictures, the most important first. */
export function Inspected({ shots, onClear }: { readonly shots: readonly ShotRef[]; readonly onClear: () => void }) {
  if (shots.length === 0)
    return (
      <p class="hint">
        Shots that look alike are close together. Large dots matter more; outlined dots are in a summary. Click a dot to
        see the shot, or draw a line around several to inspect them.
      </p>
    );
  const groups = videos.value.flatMap((video, index) => {
    const own = shots.flatMap((at) => (at.video === video.id ? (video.shots[at.shot] ?? []) : []));
    return own.length > 0 ? [{ video, index, shots: own }] : [];
  });
  const cells = groups
    .flatMap(({ video, shots }) => shots.map((shot) => ({ video, shot })))
    .sort((a, b) => b.shot.score - a.shot.score);
  const chosen = cells.filter(({ shot }) => shot.chosen).length;
  return (
    <section class="inspected" aria-label="Inspected shots">
      <header>
        <h2>
          {countOf(cells.length, 'shot')} from {countOf(groups.length, 'video')}
          <small>{chosen} in summaries</small>
        </h2>
        <ul aria-label="Shots by video">
          {groups.map(({ video, index, shots }) => (
            <li key={video.id}>
              <svg width={10} height={10} aria-hidden="true">
                <circle cx={5} cy={5} r={5} fill={colourOf(index)} />
              </svg>
              {video.name} <b>{shots.length}</b>
            </li>
          ))}
        </ul>
        <button onClick={onClear}>Clear</button>
      </header>
      <ol class="shots">
        {cells.slice(0, MAX).map(({ video, shot }) => (
          <ShotCell key={`${video.id}-${shot.index}`} video={video} shot={shot} />
        ))}
      </ol>
      {cells.length > MAX && <p class="hint">Showing the {MAX} most important. Draw a smaller line to see the rest.</p>}
    </section>
  );
}
