import { clipsOf, reasonAgainst, type SummaryDocument, type SummaryShot, type VideoSummary } from '../summary/index.js';
import { conceptPicks, timelineOfTopic, videoOf, type PickedClip, type TimelineOptions } from './build.js';
import { nameOf } from './sources.js';
import type { Timeline } from './types.js';

/** The most runners-up of one clip of the film of a topic. */
const MAX_SPARES = 3;

const isGood = ({ flaws = [], vetoed }: SummaryShot): boolean => flaws.length === 0 && !vetoed;

/** Everything good in each video, or in one: its takes without vetoed shots and bad pictures, in film order. */
export function timelineOfStringout(document: SummaryDocument, options: TimelineOptions = {}, only?: string): Timeline {
  const picks = videosOf(document, only).flatMap(({ id, takes, shots }) =>
    takes.flatMap(({ index }) => {
      const good = shots.filter((shot) => shot.take === index && isGood(shot));
      return clipsOf(good).map((clip) => ({ video: id, clip }));
    }),
  );
  return timelineOfTopic(document, picks, { ...options, title: options.title ?? `${document.topic} stringout` });
}

/**
 * What was chosen, with runners-up as disabled clips: in the film of the topic, after each clip the shots that show the same
 * moment or nearly the same; in the summaries of the videos, the best shots that were left out, as many as were chosen.
 */
export function timelineOfSelects(document: SummaryDocument, options: TimelineOptions = {}, only?: string): Timeline {
  const isFilm = document.concept !== undefined && only === undefined;
  const picks = isFilm
    ? filmSelects(document)
    : videosOf(document, only).flatMap((video) => videoSelects(document, video));
  return timelineOfTopic(document, picks, { ...options, title: options.title ?? `${document.topic} selects` });
}

function videosOf(document: SummaryDocument, only: string | undefined): readonly VideoSummary[] {
  return only === undefined ? document.videos : [videoOf(document, only)];
}

function videoSelects(document: SummaryDocument, video: VideoSummary): PickedClip[] {
  const plays = ({ startFrame, endFrame }: SummaryShot): boolean =>
    video.clips.some((clip) => clip.startFrame < endFrame && startFrame < clip.endFrame);
  const spares = video.shots
    .filter((shot) => isGood(shot) && !shot.chosen && !plays(shot))
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, video.shots.filter(({ chosen }) => chosen).length);
  const names = { method: String(document.options['method'] ?? 'cvs'), nameOf: nameIn(document) };
  const picks: PickedClip[] = [
    ...video.clips.map((clip) => ({ video: video.id, clip })),
    ...spares.map((shot) => spare(video, shot, reasonAgainst(shot, video, names))),
  ];
  return picks.toSorted((a, b) => a.clip.startFrame - b.clip.startFrame);
}

function filmSelects(document: SummaryDocument): PickedClip[] {
  const { shots: film, moments = [] } = document.concept!;
  const videos = new Map(document.videos.map((video) => [video.id, video]));
  const keyOf = ({ video, shot }: { video: string; shot: number }): string => `${shot} ${video}`;
  const used = new Set(film.map(keyOf));
  return conceptPicks(document).flatMap(({ shots, ...pick }) => {
    const rivals = shots.flatMap((shot) => [
      ...(moments[shot.moment ?? -1]?.members ?? []).map((place) => ({
        ...{ place, reason: `Shows the same moment as shot ${shot.shot + 1} of ${nameIn(document)(shot.video)}.` },
      })),
      ...shot.alike.map((place) => ({
        ...{ place, reason: `Shows nearly the same as shot ${shot.shot + 1} of ${nameIn(document)(shot.video)}.` },
      })),
    ]);
    const spares: PickedClip[] = [];
    for (const { place, reason } of rivals) {
      const video = videos.get(place.video);
      const shot = video?.shots[place.shot];
      if (spares.length === MAX_SPARES || !video || !shot || !isGood(shot) || used.has(keyOf(place))) continue;
      used.add(keyOf(place));
      spares.push(spare(video, shot, reason));
    }
    return [pick, ...spares];
  });
}

function spare(
  { id }: VideoSummary,
  { startFrame, endFrame, range, rank, score }: SummaryShot,
  reason: string,
): PickedClip {
  return { video: id, clip: { startFrame, endFrame, range }, why: { rank, score, reason }, isSpare: true };
}

function nameIn({ videos }: SummaryDocument): (id: string) => string {
  return (id) => nameOf(videos.find((video) => video.id === id)?.path ?? id);
}
