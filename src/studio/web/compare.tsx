import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';

import type { Selection, Shot, Steering, Video } from '../contract.js';
import { ask, pictureOf } from './api.js';
import { look, showError, steering, tab, topic, videoById, videos } from './state.js';
import { clock } from './time.js';

/** `cvs, 15%, shared 0.50`: what one row was made with. */
const nameOf = ({ method, length, shared }: Steering): string => `${method}, ${length}, shared ${shared.toFixed(2)}`;

type Aside = { readonly name: string; readonly steering: Steering };
/** Settings that stay as rows: versions, and settings of a moment. */
const aside = signal<readonly Aside[]>([]);
const MAX_ASIDE = 4;

/** Shows a version as a row of the comparison. */
export function compareWith({ name, steering: kept }: Aside): void {
  aside.value = [...aside.value.filter((each) => each.name !== name), { name, steering: kept }].slice(-MAX_ASIDE);
  tab.value = 'compare';
}

/** Methods under the current settings, and settings set aside, side by side: what each would choose, and who agrees. */
export function Compare() {
  const [names, setNames] = useState<readonly Steering['method'][]>(() =>
    // A version is compared with the settings of now, whatever method they have.
    aside.value.length > 0 && steering.value ? [steering.value.method] : ['cvs', 'uniform'],
  );
  const [found, setFound] = useState<readonly Selection[]>([]);
  const base = steering.value;
  useEffect(() => {
    if (!base) return;
    const stop = new AbortController();
    const settings = [...names.map((method) => ({ ...base, method })), ...aside.value.map((each) => each.steering)];
    ask('compare', { body: { settings }, signal: stop.signal }).then(
      ({ selections }) => setFound(selections),
      (error: unknown) => {
        if (!stop.signal.aborted) showError(error);
      },
    );
    return () => stop.abort();
  }, [names, aside.value, base]);
  const rowName = (row: number): string => names[row] ?? aside.value[row - names.length]?.name ?? '';
  return (
    <div class="compare">
      <MethodBoxes wanted={names} onChange={setNames} isLocked={(name) => names.length === 1 && names.includes(name)} />
      <p class="aside">
        <button
          disabled={!base || aside.value.length >= MAX_ASIDE || aside.value.some(({ name }) => name === nameOf(base))}
          onClick={() => base && (aside.value = [...aside.value, { name: nameOf(base), steering: base }])}
        >
          Keep these settings as a row
        </button>
        {aside.value.map((each) => (
          <button key={each.name} onClick={() => (aside.value = aside.value.filter((other) => other !== each))}>
            Remove {each.name}
          </button>
        ))}
        {aside.value.length === 0 && <span class="hint">The row stays while you try other settings.</span>}
      </p>
      {found.some(({ film }) => film !== null) && (
        <section aria-label="Film of the topic">
          <h2>Film of the topic</h2>
          {found.map(({ film }, row) => (
            <FilmRow
              key={rowName(row)}
              name={rowName(row)}
              row={row}
              films={found.map((each) => each.film)}
              film={film}
            />
          ))}
        </section>
      )}
      {found.length === 0 && (
        <p class="hint" role="status">
          Comparing…
        </p>
      )}
      {(found.length === 0 ? [] : videos.value).map((video) => (
        <section key={video.id} aria-label={video.name}>
          <h2>{video.name}</h2>
          {found.map((_, row) => (
            <Row
              key={rowName(row)}
              name={rowName(row)}
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
    <Cells
      {...{ name, row }}
      shots={shots.map(({ index, from }) => ({
        ...{ video: video.id, shot: index, caption: `${clock(from)}${agreement(index)}` },
        isAgreed: agreement(index) === ' · all',
      }))}
      note={`${asFirst} of ${shots.length} also in the first row`}
    />
  );
}

/** The film of one row: its shots in the order they play. */
function FilmRow(props: {
  readonly name: string;
  readonly row: number;
  readonly film: Selection['film'];
  readonly films: readonly Selection['film'][];
}) {
  const { name, row, film, films } = props;
  const shots = film?.shots ?? [];
  const has = (other: Selection['film'], { video, shot }: (typeof shots)[number]): boolean =>
    other?.shots.some((each) => each.video === video && each.shot === shot) ?? false;
  const asFirst = shots.filter((shot) => has(films[0]!, shot)).length;
  return (
    <Cells
      {...{ name, row }}
      shots={shots.map((shot) => ({
        ...{
          video: shot.video,
          shot: shot.shot,
          isAgreed: films.length > 1 && films.every((other) => has(other, shot)),
        },
        caption: `${clock(shot.to - shot.from)}${films.length > 1 && films.filter((other) => has(other, shot)).length === 1 ? ' · only here' : ''}`,
      }))}
      note={`${asFirst} of ${shots.length} also in the first row, ${clock(film?.seconds ?? 0)}`}
    />
  );
}

type Cell = { readonly video: string; readonly shot: number; readonly caption: string; readonly isAgreed: boolean };

function Cells(props: {
  readonly name: string;
  readonly row: number;
  readonly shots: readonly Cell[];
  readonly note: string;
}) {
  const { name, row, shots, note } = props;
  return (
    <div class="method">
      <h3>
        {name}
        {row > 0 && <small>{note}</small>}
      </h3>
      <ol class="shots">
        {shots.map(({ video, shot, caption, isAgreed }) => (
          <li key={`${video}#${shot}`} class={`shot chosen ${isAgreed ? 'agreed' : ''}`}>
            <button
              aria-label={`${caption}: shot ${shot + 1} of ${videoById.value.get(video)?.name ?? video}`}
              onClick={() => look({ video, shot })}
            >
              <img src={pictureOf(video, shot)} alt="" loading="lazy" width={128} height={72} />
              <span class="caption">{caption}</span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Which methods are wanted: a box each. `isLocked` keeps one as it is; `remark` says more of one. */
export function MethodBoxes(props: {
  readonly wanted: readonly Steering['method'][];
  readonly onChange: (wanted: Steering['method'][]) => void;
  readonly isLocked?: (name: Steering['method']) => boolean;
  readonly remark?: (name: Steering['method']) => string | null;
}) {
  const { wanted, onChange, isLocked, remark } = props;
  return (
    <fieldset>
      <legend>Methods</legend>
      {topic.value?.methods.map(({ name, summary }) => {
        const said = remark?.(name) ?? null;
        return (
          <label key={name} title={summary}>
            <input
              type="checkbox"
              value={name}
              checked={wanted.includes(name)}
              disabled={isLocked?.(name) ?? false}
              onChange={(event) =>
                onChange(event.currentTarget.checked ? [...wanted, name] : wanted.filter((each) => each !== name))
              }
            />
            {name}
            {said !== null && <small>{said}</small>}
          </label>
        );
      })}
    </fieldset>
  );
}
