import { useEffect, useState } from 'preact/hooks';

import type { Selection, Shot, Steering, Video } from '../contract.js';
import { ask, pictureOf } from './api.js';
import { MethodBoxes } from './method-boxes.js';
import { place, steering, tell, videos } from './state.js';
import { clock } from './time.js';

/** `cvs, 15%, shared 0.50`: what one row was made with. */
const nameOf = ({ method, length, shared }: Steering): string => `${method}, ${length}, shared ${shared.toFixed(2)}`;

/** Methods under the current settings, and settings set aside, side by side: what each would choose, and who agrees. */
export function Compare() {
  const [names, setNames] = useState<readonly Steering['method'][]>(['cvs', 'uniform']);
  const [aside, setAside] = useState<readonly Steering[]>([]);
  const [found, setFound] = useState<readonly Selection[]>([]);
  const base = steering.value;
  useEffect(() => {
    if (!base) return;
    const stop = new AbortController();
    const settings = [...names.map((method) => ({ ...base, method })), ...aside];
    ask('compare', { body: { settings }, signal: stop.signal }).then(
      ({ selections }) => setFound(selections),
      (error: unknown) => {
        if (!stop.signal.aborted) tell(error);
      },
    );
    return () => stop.abort();
  }, [names, aside, base]);
  return (
    <div class="compare">
      <MethodBoxes wanted={names} onChange={setNames} isLocked={(name) => names.length === 1 && names.includes(name)} />
      <p class="aside">
        <button
          disabled={!base || aside.length >= 4 || aside.some((each) => nameOf(each) === nameOf(base))}
          onClick={() => base && setAside([...aside, base])}
        >
          Keep these settings as a row
        </button>
        {aside.map((each) => (
          <button key={nameOf(each)} onClick={() => setAside(aside.filter((other) => other !== each))}>
            Remove {nameOf(each)}
          </button>
        ))}
        {aside.length === 0 && <span class="hint">The row stays while you try other settings.</span>}
      </p>
      {videos.value.map((video) => (
        <section key={video.id} aria-label={video.name}>
          <h2>{video.name}</h2>
          {found.map(({ steering: made }, row) => (
            <Row
              key={`${row < names.length ? '' : 'aside '}${nameOf(made)}`}
              name={row < names.length ? made.method : nameOf(made)}
              {...{ video, row }}
              rows={found.map((each) => each.videos.find(({ id }) => id === video.id)?.shots ?? [])}
            />
          ))}
        </section>
      ))}
    </div>
  );
}

/** What one row chose of a video, held against the first row and against all of them. */
function Row(props: {
  readonly name: string;
  readonly video: Video;
  readonly row: number;
  /** The shots of this video in every row. */
  readonly rows: readonly (readonly Shot[])[];
}) {
  const { name, video, row, rows } = props;
  const shots = rows[row]!.filter((shot) => shot.chosen);
  const choosers = (index: number): number => rows.filter((each) => each[index]?.chosen).length;
  const asFirst = shots.filter(({ index }) => rows[0]![index]?.chosen).length;
  const agreement = (index: number): string =>
    rows.length < 2 ? '' : choosers(index) === rows.length ? ' · all' : choosers(index) === 1 ? ' · only here' : '';
  return (
    <div class="method">
      <h3>
        {name}
        {row > 0 && (
          <small>
            {asFirst} of {shots.length} also in the first row
          </small>
        )}
      </h3>
      <ol class="shots">
        {shots.map(({ index, from }) => {
          const caption = `${clock(from)}${agreement(index)}`;
          return (
            <li key={index} class={`shot chosen ${agreement(index) === ' · all' ? 'agreed' : ''}`}>
              <button
                aria-label={`${caption}: shot ${index + 1} of ${video.name}`}
                onClick={() => (place.value = { video: video.id, shot: index })}
              >
                <img src={pictureOf(video.id, index)} alt="" loading="lazy" width={128} height={72} />
                <span class="caption">{caption}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
