import { useComputed } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { Clip, Remark, Shot, Video } from '../contract.js';
import { mediaOf, pictureOf } from './api.js';
import { FilmLane, Ruler } from './film-lane.js';
import { FirstPicture } from './first-picture.js';
import { Lane } from './lane.js';
import { areDoublesShown, areMany, doubles, filter, FILTERS, isOpen, isOpenByDefault, listed, search, sort, SORTS, tick, ticked, toggled, toggledDoubles } from './listed.js'; // prettier-ignore
import { centreInStrip, isInStrip } from './scroll.js';
import { clips, isReadOnly, leaveOut, leftOut, look, openClip, playing, selectedShot, videoById } from './state.js';
import { clock, countOf } from './time.js';
import { hover } from './timeline.js';
import { TopicFilm } from './topic-film.js';

/** What can be done with all clips that are ticked. */
function Ticked() {
  const some = clips.value.filter(({ id }) => ticked.value.has(id));
  if (some.length === 0) return null;
  const names = some.map(({ name }) => name);
  const areOut = names.every((name) => leftOut.value.has(name));
  const fold = (isFolded: boolean): void => {
    const next = new Set(toggled.value);
    for (const { id } of some) {
      if (isOpen(id) !== isFolded) continue;
      if (!next.delete(id)) next.add(id);
    }
    toggled.value = next;
  };
  return (
    <div class="tools ticked" role="toolbar" aria-label="Ticked clips">
      <strong>{countOf(some.length, 'clip')} ticked</strong>
      <button disabled={isReadOnly} onClick={() => void leaveOut(names, !areOut)}>
        {areOut ? 'Put back' : 'Leave out'}
      </button>
      <button onClick={() => fold(true)}>Fold</button>
      <button onClick={() => fold(false)}>Unfold</button>
      <button onClick={() => (ticked.value = new Set(listed.value.map(({ id }) => id)))}>Tick all shown</button>
      <button onClick={() => (ticked.value = new Set())}>Clear</button>
    </div>
  );
}

/** All clips of the topic, one lane each, below the film. */
export function ClipList() {
  const isAllOpen = listed.value.every(({ id }) => isOpen(id));
  return (
    <div class="rows">
      <TopicFilm />
      <div class="timeline-head">
        <div class="tools" role="toolbar" aria-label="Clips">
          <input
            type="search"
            aria-label="Search clips"
            placeholder="Search clips ( / )"
            value={search.value}
            onInput={(event) => (search.value = event.currentTarget.value)}
          />
          <Choice label="Sort" options={SORTS} value={sort.value} onChange={(value) => (sort.value = value)} />
          <Choice label="Show" options={FILTERS} value={filter.value} onChange={(value) => (filter.value = value)} />
          <button
            onClick={() => {
              isOpenByDefault.value = !isAllOpen;
              toggled.value = new Set();
            }}
          >
            {isAllOpen ? 'Fold all' : 'Unfold all'}
          </button>
          <output>
            {listed.value.length === clips.value.length
              ? countOf(clips.value.length, 'clip')
              : `${listed.value.length} of ${countOf(clips.value.length, 'clip')}`}
          </output>
        </div>
        <Ticked />
        <Ruler />
        <FilmLane />
      </div>
      {listed.value.map((clip) => (
        <ClipRow key={clip.id} clip={clip} />
      ))}
      {listed.value.length === 0 && <p class="empty">No clip matches. Clear the search or show all.</p>}
      <HoverPreview />
    </div>
  );
}

function Choice<K extends string>(props: {
  readonly label: string;
  readonly options: Readonly<Record<K, string>>;
  readonly value: K;
  readonly onChange: (value: K) => void;
}) {
  return (
    <label class="choice">
      {props.label}
      <select value={props.value} onChange={(event) => props.onChange(event.currentTarget.value as K)}>
        {Object.entries<string>(props.options).map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

const rows = new WeakMap<Element, (isNear: boolean) => void>();
let watch: IntersectionObserver | null = null;

/** Tells a row whether it is near the window. One observer watches all rows; those of a large topic are drawn later. */
function watchRow(row: Element, onNear: (isNear: boolean) => void): () => void {
  watch ??= new IntersectionObserver(
    (entries) => {
      // A row that was moved leaves and comes back at once: its last entry counts.
      const last = new Map(entries.map((entry) => [entry.target, entry.isIntersecting]));
      for (const [target, isNear] of last) rows.get(target)?.(isNear);
    },
    { rootMargin: areMany.peek() ? '600px 0px' : '1200px 0px' },
  );
  rows.set(row, onNear);
  watch.observe(row);
  return () => watch?.unobserve(row);
}

/** One clip. Far from the window only its name is kept, at the height it had. */
function ClipRow({ clip }: { readonly clip: Clip }) {
  const box = useRef<HTMLElement>(null);
  // Rows of a small topic have their height at once, so that what is scrolled into view stays there.
  const [isNear, setNear] = useState(!areMany.peek());
  const [height, setHeight] = useState<number | null>(null);
  useEffect(() => {
    const row = box.current!;
    return watchRow(row, (near) => {
      if (!near) setHeight(row.offsetHeight);
      setNear(near);
    });
  }, []);
  // Each row hears only of what is its own: a change elsewhere draws nothing here.
  const isHere = useComputed(() => selectedShot.value?.video === clip.id).value;
  const isDrawn = isNear || isHere;
  const isOut = useComputed(() => leftOut.value.has(clip.name)).value;
  const isDouble = useComputed(() => (videoById.value.get(clip.id)?.doubleOf ?? null) !== null).value;
  return (
    <section
      class={`video ${isOut ? 'is-out' : ''} ${isDouble ? 'is-double' : ''}`}
      aria-label={clip.name}
      ref={box}
      style={isDrawn || height === null ? {} : { minHeight: `${height}px` }}
    >
      {isDrawn ? <RowContent clip={clip} isOut={isOut} /> : <h2>{clip.name}</h2>}
    </section>
  );
}

function RowContent({ clip, isOut }: { readonly clip: Clip; readonly isOut: boolean }) {
  const video = useComputed(() => videoById.value.get(clip.id)).value;
  const isUnfolded = useComputed(() => isOpen(clip.id)).value && !isOut && video !== undefined;
  const alike = useComputed(() => doubles.value.get(clip.id)?.length ?? 0).value;
  const areAlikeShown = useComputed(() => areDoublesShown(clip.id)).value;
  const isTicked = useComputed(() => ticked.value.has(clip.id)).value;
  const chosenCount = video?.shots.filter((shot) => shot.chosen).length ?? 0;
  const toggle = (): void => {
    const next = new Set(toggled.value);
    if (!next.delete(clip.id)) next.add(clip.id);
    toggled.value = next;
  };
  const play = (): void => {
    playing.value = null;
    selectedShot.value = null;
    openClip.value = clip.id;
  };
  return (
    <>
      <div class="row">
        <header class="label">
          <input
            type="checkbox"
            class="tick-clip"
            aria-label={`Tick ${clip.name}`}
            title="Tick; with Shift, everything in between"
            checked={isTicked}
            onClick={(event) => tick(clip.id, event.currentTarget.checked, event.shiftKey)}
          />
          <button class="thumb" aria-label={`Play ${clip.name}`} title="Play the clip" onClick={play}>
            {clip.state !== 'failed' && <FirstPicture id={clip.id} />}
          </button>
          <div>
            <h2 title={clip.name}>
              <button class="fold" aria-expanded={isUnfolded} onClick={toggle} disabled={!video}>
                {clip.name}
              </button>
            </h2>
            <p>
              {video ? (
                <>
                  {clock(video.seconds)} → <strong>{clock(video.chosenSeconds)}</strong>, {chosenCount} of{' '}
                  {countOf(video.shots.length, 'shot')}
                </>
              ) : (
                <ClipState clip={clip} isOut={isOut} />
              )}
            </p>
          </div>
          <div class="actions">
            {video && (
              <button onClick={() => (playing.value = video.id)} disabled={video.chosenSeconds === 0}>
                Play summary
              </button>
            )}
            <button
              disabled={isReadOnly}
              aria-pressed={isOut}
              title={isOut ? 'Use this clip again' : 'Do not use this clip; the file stays where it is'}
              onClick={() => void leaveOut([clip.name], !isOut)}
            >
              {isOut ? 'Put back' : 'Leave out'}
            </button>
            {alike > 0 && (
              <button
                aria-expanded={areAlikeShown}
                title="Clips that show the same"
                onClick={() => {
                  const next = new Set(toggledDoubles.value);
                  if (!next.delete(clip.id)) next.add(clip.id);
                  toggledDoubles.value = next;
                }}
              >
                {areAlikeShown ? '▾' : '▸'} {alike} alike
              </button>
            )}
          </div>
        </header>
        <Lane clip={clip} video={video} />
      </div>
      {clip.problem !== null && <p class="clip-problem">{clip.problem}</p>}
      {video && <Remarks remarks={video.remarks} isBrief={!isUnfolded} />}
      {isUnfolded && <Strip video={video} />}
    </>
  );
}

/** What a clip without shots is waiting for. */
function ClipState({ clip, isOut }: { readonly clip: Clip; readonly isOut: boolean }) {
  const length = clip.seconds === null ? '' : `${clock(clip.seconds)} · `;
  if (isOut) return <>{length}left out</>;
  if (clip.state === 'failed') return <>cannot be used</>;
  if (clip.state === 'analysing') return <>{`${length}analysing ${Math.round(100 * clip.fraction)} %`}</>;
  return <>{`${length}${clip.state === 'analysed' ? 'analysed, waiting for the others' : 'not analysed yet'}`}</>;
}

function Strip({ video }: { readonly video: Video }) {
  const strip = useRef<HTMLOListElement>(null);
  useEffect(() => {
    // The shot being looked at has moved itself into view.
    if (selectedShot.value?.video === video.id) return;
    // A short summary may have its only shot far to the right: a row opens where something is chosen.
    const chosen = [...strip.current!.querySelectorAll<HTMLElement>('.chosen')];
    if (chosen[0] && !chosen.some(isInStrip)) centreInStrip(chosen[0]);
  }, []);
  return (
    <ol class="shots" ref={strip}>
      {video.shots.map((shot) => (
        <ShotCell key={shot.index} id={video.id} name={video.name} shot={shot} />
      ))}
    </ol>
  );
}

/** A shot as a picture one can go to, with its importance below. */
export function ShotCell(props: { readonly id: string; readonly name: string; readonly shot: Shot }) {
  const { id, name, shot } = props;
  const cell = useRef<HTMLLIElement>(null);
  const here = useComputed(() => {
    const at = selectedShot.value;
    return at?.video === id && at.shot === shot.index ? at : null;
  }).value;
  // One stop of the Tab key per list; the arrow keys go on from there.
  const isStop = useComputed(() => shot.index === (selectedShot.value?.video === id ? selectedShot.value.shot : 0)).value; // prettier-ignore
  useEffect(() => {
    if (!here) return;
    if (!here.stays) cell.current!.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    else if (!isInStrip(cell.current!)) centreInStrip(cell.current!);
  }, [here]);
  const state = shot.pinned ? 'pinned' : shot.vetoed ? 'vetoed' : shot.chosen ? 'chosen' : 'not chosen';
  const caption = `${clock(shot.from)}${shot.pinned || shot.vetoed ? ` · ${state}` : shot.chosen ? ' ✓' : ''}`;
  const ownPart = shot.score > 0 ? shot.own ** 2 / (shot.own ** 2 + shot.shared ** 2) : 0;
  return (
    <li
      ref={cell}
      class={`shot ${shot.chosen ? 'chosen' : ''} ${shot.pinned ? 'pinned' : ''} ${shot.vetoed ? 'vetoed' : ''} ${shot.bad === null ? '' : 'bad'}`}
    >
      <button
        id={`shot-${id}-${shot.index}`}
        tabIndex={isStop ? 0 : -1}
        aria-pressed={here !== null}
        aria-label={`${caption}: shot ${shot.index + 1} of ${name}, to ${clock(shot.to)}, rank ${shot.rank + 1}, ${state}`}
        title={shot.bad ?? ''}
        onClick={() => look({ video: id, shot: shot.index })}
      >
        <img src={pictureOf(id, shot.index)} alt="" loading="lazy" width={128} height={72} />
        <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
          <rect class="track" width={100} height={6} />
          <rect class="own" width={100 * shot.score * ownPart} height={6} />
          <rect class="shared" x={100 * shot.score * ownPart} width={100 * shot.score * (1 - ownPart)} height={6} />
        </svg>
        <span class="caption">{caption}</span>
      </button>
    </li>
  );
}

/** The picture under the pointer on a lane. One player seeks to wherever the pointer is; the next seek waits for the last. */
function HoverPreview() {
  const player = useRef<HTMLVideoElement>(null);
  const at = hover.value;
  const clip = at ? clips.value.find(({ id }) => id === at.video) : undefined;
  const wanted = useRef(0);
  wanted.current = at?.seconds ?? 0;
  const seek = (): void => {
    const video = player.current;
    if (video && video.readyState > 0 && !video.seeking && Math.abs(video.currentTime - wanted.current) > 0.02) {
      video.currentTime = wanted.current;
    }
  };
  useEffect(seek, [at?.seconds]);
  if (!at || !clip) return null;
  const source = mediaOf(at.video, clip.playback);
  const shot = videoById.value.get(at.video)?.shots.find(({ from, to }) => at.seconds >= from && at.seconds < to);
  const left = Math.min(innerWidth - 216, Math.max(8, at.x - 104));
  const top = at.y > 190 ? at.y - 172 : at.y + 28;
  return (
    <figure class="hover" style={{ left: `${left}px`, top: `${top}px` }} aria-hidden="true">
      <img src={pictureOf(at.video, shot?.index ?? 'first')} alt="" width={208} height={117} />
      {source !== null && (
        <video ref={player} src={source} muted preload="auto" tabIndex={-1} onLoadedMetadata={seek} onSeeked={seek} />
      )}
      <figcaption>
        {clock(at.seconds)}
        {shot && ` · shot ${shot.index + 1}`}
        {shot && shot.bad !== null && <em> · {shot.bad}</em>}
      </figcaption>
    </figure>
  );
}

const BADGES: Readonly<Record<Remark['kind'], string>> = { stray: 'Stray', double: 'Double', damaged: 'Damaged' };

/** What a reader should know of a video: a badge for the eye, and the evidence beside it. */
function Remarks({ remarks, isBrief }: { readonly remarks: readonly Remark[]; readonly isBrief?: boolean }) {
  if (remarks.length === 0) return null;
  if (isBrief) {
    return (
      <p class="remarks-of">
        {remarks.map(({ kind, sentence }) => (
          <strong key={kind} class={`badge ${kind}`} title={sentence}>
            {BADGES[kind]}
          </strong>
        ))}
      </p>
    );
  }
  return (
    <ul class="remarks-of">
      {remarks.map(({ kind, sentence }) => (
        <li key={kind}>
          <strong class={`badge ${kind}`}>{BADGES[kind]}</strong> {sentence}
        </li>
      ))}
    </ul>
  );
}
