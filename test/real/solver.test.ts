import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

import type { Matrix } from '../../src/base/index.js';
import { openExtractor, poolPictures } from '../../src/features/index.js';
import { decode, probe } from '../../src/media/index.js';
import { algorithm1 } from '../../src/select/algorithm1.case.js';
import { cvs } from '../../src/select/index.js';
import { momentOf, problemOf } from '../../src/topic/index.js';
import { footage } from './folder.js';

const topic = join(footage, 'surfing');
/** Frames between two vectors: about a shot. */
const STEP = 24;
let features: Matrix[];

beforeAll(async () => {
  const network = await openExtractor({ features: 'default' }, { workers: 2 });
  features = [];
  for (const name of (await readdir(topic)).filter((file) => file.endsWith('.mp4')).sort()) {
    const { widthPx, heightPx } = network.sample;
    const views = [
      { name: 'clock', widthPx: 2, heightPx: 2, every: 1 },
      { name: 'network', widthPx, heightPx, every: STEP },
    ] as const;
    const vectors: Promise<Float32Array>[] = [];
    for await (const { pictures } of decode(await probe(join(topic, name)), [...views]).frames) {
      if (pictures['network']) vectors.push(network.embed(pictures['network']));
    }
    const rows = (await Promise.all(vectors)).map((vector) => poolPictures([vector], network.dim));
    features.push({ rows: rows.length, cols: network.dim, data: Float64Array.from(rows.flatMap((row) => [...row])) });
  }
  await network.close();
});

describe('the solver on real features', () => {
  it('gives what the paper’s algorithm gives, in both forms, to 1e-9', () => {
    expect(features.length).toBeGreaterThan(5);
    for (const [place, own] of features.slice(0, 4).entries()) {
      const others = features.filter((_, other) => other !== place);
      const data = Float64Array.from(others.flatMap((matrix) => [...matrix.data]));
      const rest: Matrix = { rows: data.length / own.cols, cols: own.cols, data };
      const rankings = (['shots', 'features'] as const).map((form) =>
        cvs({ solver: 'halfQuadratic', form }).select(problemOf(own, momentOf(rest))),
      );
      const { lambda, epsilon, iterations } = rankings[0]!.certificate;
      const knobs = { alpha: 0.5, lambdaS: lambda, lambdaD: 0.01, beta: lambda, epsilon };
      const literal = algorithm1(own, rest, knobs, iterations, { objective: false });
      const largest = Math.max(...rankings[0]!.scores);
      for (const ranking of rankings) {
        expect(ranking.certificate.converged).toBe(true);
        ranking.own.forEach((norm, shot) => expect(Math.abs(norm - literal.own[shot]!)).toBeLessThan(1e-9 * largest));
        ranking.shared.forEach((norm, shot) =>
          expect(Math.abs(norm - literal.shared[shot]!)).toBeLessThan(1e-9 * largest),
        );
        expect(ranking.order).toEqual(rankings[0]!.order);
      }
      const score = (shot: number): number => Math.hypot(literal.own[shot]!, literal.shared[shot]!);
      const literalOrder = [...own.data.subarray(0, own.rows).keys()].sort((a, b) => score(b) - score(a));
      expect(rankings[0]!.order).toEqual(literalOrder);
    }
  });
});
