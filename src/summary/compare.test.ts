import { describe, expect, it } from 'vitest';

import { compareSummaries, type SummaryDocument, type VideoSummary } from './index.js';

const base = { num: 1, den: 30 };

/** A video of ten-frame shots; `chosen` are those in its summary. */
function video(path: string, content: string, chosen: readonly number[]): VideoSummary {
  const shots = Array.from({ length: 4 }, (_, index) => ({
    ...{ index, startFrame: index * 10, endFrame: index * 10 + 10, rank: index, score: 1, own: 1, shared: 0 },
    ...{ take: index, view: index, evidence: null },
    ...{ range: { start: index * 10, end: index * 10 + 10, base }, chosen: chosen.includes(index), support: [] },
  }));
  return {
    ...{ id: path, path, sha256: content, bytes: 1, codec: 'h264', widthPx: 2, heightPx: 2, audioTracks: 0 },
    ...{
      sampleAspect: { num: 1, den: 1 },
      frameRate: null,
      timeBase: base,
      frames: 40,
      takes: shots,
      shots,
      clips: [],
    },
    ...{ range: { start: 0, end: 40, base }, solver: { iterations: 1, converged: true, residual: 0 } },
    ...{ film: null, storyboard: null },
  };
}

function record(videos: VideoSummary[]): SummaryDocument {
  const model = { name: 'none', sha256: null };
  return { schema: 'summary.2', throughline: '0', topic: 't', options: {}, model, videos, skipped: [], notes: [] };
}

describe('two records of a topic', () => {
  const before = record([video('a.mp4', 'A', [0, 1]), video('b.mp4', 'B', [2]), video('c.mp4', 'C', [3])]);

  it('compared by hand: what is new, what is gone, what stayed', () => {
    const after = record([video('a.mp4', 'A', [1, 3]), video('b.mp4', 'B', [2]), video('d.mp4', 'D', [0])]);
    const reported = compareSummaries(before, after).map(({ video: name, kind, came, went, kept }) => [
      ...[name, kind, came.map((shot) => shot.index), went.map((shot) => shot.index), kept],
    ]);
    expect(reported).toEqual([
      ['a.mp4', 'moved', [3], [0], 1],
      ['b.mp4', 'same', [], [], 1],
      ['d.mp4', 'added', [0], [], 0],
      ['c.mp4', 'removed', [], [3], 0],
    ]);
  });

  it('recognise a video by its content, whatever its name and place', () => {
    const after = record([video('z.mp4', 'C', [3]), video('a.mp4', 'A', [0, 1]), video('b.mp4', 'B', [2])]);
    expect(compareSummaries(before, after).map(({ kind }) => kind)).toEqual(['same', 'same', 'same']);
  });

  it('have only new videos if there was no record before', () => {
    expect(compareSummaries(null, before).map(({ kind }) => kind)).toEqual(['added', 'added', 'added']);
  });
});
