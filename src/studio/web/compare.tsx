import { useEffect, useState } from 'preact/hooks';

import type { Selection, Shot, Steering } from '../contract.js';
import { ask, pictureOf } from './api.js';
import { place, steering, tell, topic, videos } from './state.js';
import { clock } from './time.js';

/** Several methods side by side: for each video, what each would choose, and what they agree on. */
export function Compare() {
  const [names, setNames] = useState<readonly Steering['method'][]>(['cvs', 'uniform']);
  const [found, setFound] = useState<readonly Selection[]>([]);
  const base = steering.value;
  useEffect(() => {
    if (!base) return;
    const stop = new AbortController();
    ask('compare', { body: { settings: names.map((method) => ({ ...base, method })) }, signal: stop.signal }).then(
      ({ selections }) => setFound(selections),
      (error: unknown) => {
        if (!stop.signal.aborted) tell(error);
      },
    );
    return () => stop.abort();
  }, [names, base]);
  const toggle = (name: Steering['method'], isWanted: boolean): void =>
    setNames(isWanted ? [...names, name] : names.filter((each) => each !== name));
  return (
    <div class="compare">
      <fieldset>
        <legend>Methods</legend>
        {topic.value?.methods.map(({ name, summary }) => (
          <label key={name} title={summary}>
            <input
              type="checkbox"
              checked={names.includes(name)}
              disabled={names.length === 1 && names.includes(name)}
              onChange={(event) => toggle(name, event.currentTarget.checked)}
            />
            {name}
          </label>
        ))}
      </fieldset>
      {videos.value.map((video) => (
        <section key={video.id} aria-label={video.name}>
          <h2>{video.name}</h2>
          {found.map(({ steering: { method }, videos: judged }) => {
            const shots = judged.find(({ id }) => id === video.id)?.shots.filter((shot) => shot.chosen) ?? [];
            const isAgreed = (index: number): boolean =>
              found.every(({ videos: all }) => all.find(({ id }) => id === video.id)?.shots[index]?.chosen);
            const captionOf = ({ from, index }: Shot): string => `${clock(from)}${isAgreed(index) ? ' · all' : ''}`;
            return (
              <div class="method" key={method}>
                <h3>{method}</h3>
                <ol class="shots">
                  {shots.map((shot) => (
                    <li key={shot.index} class={`shot chosen ${isAgreed(shot.index) ? 'agreed' : ''}`}>
                      <button
                        aria-label={`${captionOf(shot)}: shot ${shot.index + 1} of ${video.name}`}
                        onClick={() => (place.value = { video: video.id, shot: shot.index })}
                      >
                        <img src={pictureOf(video.id, shot.index)} alt="" loading="lazy" width={128} height={72} />
                        <span class="caption">{captionOf(shot)}</span>
                      </button>
                    </li>
                  ))}
                </ol>
              </div>
            );
          })}
        </section>
      ))}
    </div>
  );
}
