import { join } from 'node:path';

import { formatClock, MediaError, toSeconds, UsageError } from '../base/index.js';
import { drawTopicSheet, parsePictures, plural, REEL_VERSION, type ReelFilm, renderReel } from '../render/index.js';
import { probeMusic } from '../media/index.js';
import type { Options } from '../options/index.js';
import type { Run } from './run.js';
import { type Concept, shortReason } from '../summary/index.js';
import { keepGoing, requireUnchanged } from './admit.js';
import { CONCEPT_ID } from './collect-inputs.js';
import type { ChosenConcept } from './concept.js';
import type { RankedVideo } from './cut-video.js';
import { byIdOf, layOut } from './edit-concept.js';
import { filmHooks, makeUnlessThere } from './render.js';
import { noteMissingGlyphs } from './limits.js';

/** Lays out the film of a topic, renders it, and draws its storyboard. */
export async function renderConcept(
  topic: string,
  chosen: ChosenConcept | null,
  videos: readonly RankedVideo[],
  run: Run,
): Promise<Concept | null> {
  if (chosen === null) return null;
  run.emit({ type: 'stage-started', stage: 'concept', total: 1 });
  const byId = byIdOf(videos);
  const { clips, film: laidOut, plan, shots } = layOut(chosen.shots, byId, run.options);
  const film = await withSpeech(laidOut, clips.map(({ video }) => byId.get(video)!)); // prettier-ignore
  const names = clips.map(({ video }) => byId.get(video)!.name);
  const isDrawn = parsePictures(run.options.pictures)!.has('storyboard');
  const storyboard = isDrawn ? `${CONCEPT_ID}.storyboard.png` : null;
  const { title = '', captions, burnIn } = run.options;
  await noteMissingGlyphs([title, ...(isDrawn ? [topic] : []), ...(isDrawn || captions || burnIn ? names : [])], run);
  if (storyboard !== null) {
    await run.workspace.writeParts(join(run.out, storyboard), [await drawSheet(topic, shots, plan.seconds, byId)]);
  }
  const name = `${CONCEPT_ID}.${film.format}`;
  const asItem = { id: CONCEPT_ID, name: `the film of ${topic}`, path: join(run.out, name) };
  const rendered = await keepGoing(run, asItem, async () => {
    const contents = clips.map(({ video }) => byId.get(video)!.sha256);
    const music = film.music === undefined ? null : await run.workspace.existing(film.music, run.signal);
    const onFrames = reportFrames(plan.frames, asItem.name, run);
    const { cached } = await makeUnlessThere(
      identityOf(film, contents, music?.sha256 ?? null),
      name,
      run,
      async (draft) => {
        const sources = [...new Set(clips.map(({ video }) => byId.get(video)!))];
        await renderReel(film, draft, await filmHooks(sources, run, { workers: run.jobs, onFrames }));
        for (const source of sources) await requireUnchanged(source, run);
        return null;
      },
    );
    await run.workspace.filmParts?.trim();
    run.emit({ type: 'item-done', stage: 'concept', item: asItem.name, cached });
    return name;
  });
  run.emit({ type: 'stage-done', stage: 'concept' });
  return { ...chosen, shots, frame: plan.frame, frames: plan.frames, film: rendered, storyboard };
}

/** Refuses music that cannot be played, before any work. */
export async function requireMusic({ options: { music }, signal }: Run): Promise<void> {
  if (music === undefined) return;
  await probeMusic(music, signal).catch((error: unknown) => {
    if (!(error instanceof MediaError)) throw error;
    throw new UsageError('bad-music', `${error.message} It was given as --music.`, { cause: error });
  });
}

/** What the record would say about the film of a topic, without making it. */
export function describeConcept(chosen: ChosenConcept, videos: readonly RankedVideo[], options: Options): Concept {
  const { plan, shots } = layOut(chosen.shots, byIdOf(videos), options);
  return { ...chosen, shots, frame: plan.frame, frames: plan.frames, film: null, storyboard: null };
}

/** The film with what its music has to know: where somebody speaks in the source of each clip. */
async function withSpeech(film: ReelFilm, sources: readonly RankedVideo[]): Promise<ReelFilm> {
  if (film.music === undefined) return film;
  const tracks = await Promise.all(sources.map(({ analysis }) => analysis.sound()));
  return { ...film, clips: film.clips.map((clip, at) => ({ ...clip, speech: tracks[at]?.speech ?? [] })) };
}

/** Everything that decides the bytes of the film, with sources by their content, not by their path. */
function identityOf(film: ReelFilm, contents: readonly string[], music: string | null): Record<string, unknown> {
  return {
    stage: 'concept',
    version: REEL_VERSION,
    ...{ ...film, music },
    clips: film.clips.map(
      ({ frameRate, isDamaged, clip, caption = null, chapter = null, speech = null, startTick }, at) => {
        return { frameRate, isDamaged, clip, caption, chapter, speech, startTick, content: contents[at]! };
      },
    ),
  };
}

function reportFrames(total: number, item: string, run: Run): (frames: number) => void {
  return (frames) => {
    const fraction = frames / total;
    run.emit({ type: 'progress', stage: 'concept', fraction, item, ofItem: fraction, frames });
  };
}

function drawSheet(
  topic: string,
  shots: Concept['shots'],
  seconds: number,
  byId: ReadonlyMap<string, RankedVideo>,
): Promise<Buffer> {
  const strongest = Math.max(...shots.map((shot) => shot.score)) || 1;
  const sources = new Set(shots.map((shot) => shot.video)).size;
  return drawTopicSheet({
    title: topic,
    facts: `${plural(shots.length, 'shot')} of ${plural(sources, 'video')} · ${formatClock(Math.round(10 * seconds) / 10).slice(0, -2)}`,
    cells: shots.map(({ video: id, shot, range, score, shown }) => {
      const { analysis, name, shots: own } = byId.get(id)!;
      const at = formatClock(toSeconds(range.start - analysis.start, analysis.timeBase)).slice(0, -2);
      return {
        picture: () => analysis.picture(shot),
        label: name,
        note: [at, shortReason({ pinned: own[shot]!.pinned, shown })].filter(Boolean).join(' · '),
        score01: score / strongest,
      };
    }),
  });
}
