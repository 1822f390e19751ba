import {
  summaryDocument,
  type Concept,
  type SummaryDocument,
  type SummaryShot,
  type VideoSummary,
} from '../../summary/index.js';

const base = { num: 1, den: 1000 };

/** A shot of two seconds with plain numbers; `change` what the test is about. */
export function sampleShot(index: number, change: Partial<SummaryShot> = {}): SummaryShot {
  return {
    index,
    startFrame: index * 50,
    endFrame: (index + 1) * 50,
    range: { start: index * 2000, end: (index + 1) * 2000, base },
    ...{ take: index, view: index },
    rank: index,
    score: 1,
    own: 1,
    shared: 0,
    evidence: null,
    chosen: false,
    support: [],
    ...change,
  };
}

/** A video of such shots; its clips are its chosen shots one by one. */
export function sampleVideo(id: string, shots: SummaryShot[], change: Partial<VideoSummary> = {}): VideoSummary {
  const first = shots[0]?.range.start ?? 0;
  const end = shots.at(-1)?.range.end ?? 2000;
  return {
    id,
    path: `${id}.mp4`,
    sha256: '0'.repeat(64),
    bytes: 1_234_567,
    codec: 'h264',
    widthPx: 640,
    heightPx: 360,
    sampleAspect: { num: 1, den: 1 },
    frameRate: { num: 30000, den: 1001 },
    timeBase: base,
    frames: Math.max(1, shots.length * 50),
    range: { start: first, end, base },
    audioTracks: 1,
    takes: shots.map(({ startFrame, endFrame, range }, index) => ({ index, startFrame, endFrame, range })),
    shots,
    clips: shots
      .filter((shot) => shot.chosen)
      .map(({ startFrame, endFrame, range }) => ({ startFrame, endFrame, range })),
    solver: { iterations: 12, converged: true, residual: 3e-8 },
    film: `films/${id}.mp4`,
    storyboard: `storyboards/${id}.png`,
    ...change,
  };
}

/** A whole document, held against the published schema. */
export function sampleDocument(videos: VideoSummary[], change: Partial<SummaryDocument> = {}): SummaryDocument {
  return summaryDocument.parse({
    schema: 'summary.2',
    throughline: '0.1.0',
    topic: 'harbour',
    options: { length: '15%' },
    model: { name: 'small', sha256: 'f'.repeat(64) },
    videos,
    skipped: [],
    notes: [],
    ...change,
  });
}

/** Two videos; the second shot of the first is chosen and stands for the first shot of the second. */
export function samplePair(): SummaryDocument {
  return sampleDocument([
    sampleVideo('a', [
      sampleShot(0, { score: 0, own: 0, rank: 1 }),
      sampleShot(1, {
        score: 5,
        own: 3,
        shared: 4,
        rank: 0,
        chosen: true,
        support: [{ video: 'b', share: 0.75, shot: 0 }],
      }),
    ]),
    sampleVideo('b', [sampleShot(0, { chosen: true }), sampleShot(1)]),
  ]);
}

/** A film of the topic that plays shots named by video and index, one after the other at 25 frames a second. */
export function sampleConcept(
  videos: readonly VideoSummary[],
  places: readonly (readonly [string, number])[],
  change: Partial<Concept> = {},
): Concept {
  return {
    each: '15%',
    pooled: places.length + 3,
    alike: 0.9,
    shots: places.map(([video, index], rank) => {
      const { startFrame, endFrame, range } = videos.find(({ id }) => id === video)!.shots[index]!;
      const reason = `Rank ${rank + 1} of ${places.length + 3}, the best of its video.`;
      return {
        video,
        shot: index,
        startFrame,
        endFrame,
        range,
        filmFrame: 50 * rank,
        rank,
        score: 1,
        reason,
        alike: [],
      };
    }),
    solver: { iterations: 9, converged: true, residual: 0 },
    frame: { widthPx: 640, heightPx: 360, rate: { num: 25, den: 1 } },
    frames: 50 * places.length,
    film: 'concept.mp4',
    storyboard: 'concept.storyboard.png',
    ...change,
  };
}
