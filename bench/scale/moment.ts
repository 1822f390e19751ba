import { type Matrix, random, zeros } from '../../src/base/index.js';
import { createSelector } from '../../src/select/index.js';
import { decodeMoment, encodeMoment, momentOf, type Moment, problemInTopic, sumInRuns } from '../../src/topic/index.js';

/** What a topic of so many simulated videos costs. */
export type Row = {
  readonly videos: number;
  readonly dim: number;
  /** Of CPU time, drawing included. */
  readonly reduceSeconds: number;
  readonly momentBytes: number;
  /** Of the whole process, from its start to the end of the reduction. */
  readonly peakMegabytes: number;
  /** CPU time, median over videos: from the moment's bytes to the ranking. */
  readonly summariseMs: number;
  readonly summariseShots: number;
};

export const SHOTS = 20;
const BANK = 2000;
const SUMMARISED = 21;
/** A longer video, so that what is solved is more than the start of it. */
const SUMMARISED_SHOTS = 100;

/** Shots of a simulated video: each a mixture of two pictures of a common bank, of unit length. Drawn by the video's number. */
function drawVideo(bank: Matrix, video: number, shots = SHOTS): Matrix {
  const { cols: dim } = bank;
  const draw = random(video + 1);
  const features = zeros(shots, dim);
  for (let i = 0; i < shots; i++) {
    const [a, b, share] = [draw.below(BANK) * dim, draw.below(BANK) * dim, draw.next()];
    let square = 0;
    for (let k = 0; k < dim; k++) {
      const value = share * bank.data[a + k]! + (1 - share) * bank.data[b + k]!;
      features.data[i * dim + k] = value;
      square += value * value;
    }
    for (let k = 0; k < dim; k++) features.data[i * dim + k]! /= Math.sqrt(square);
  }
  return features;
}

function drawBank(dim: number): Matrix {
  const draw = random(7);
  const bank = zeros(BANK, dim);
  // Like a network's last layer: never negative, mostly small.
  for (let at = 0; at < bank.data.length; at++) bank.data[at] = draw.normal() ** 2;
  return bank;
}

/** Of this process so far: other work on the machine does not count. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Reduces a topic as the pipeline does, then summarises some of its videos against the result. */
export function measureTopic(videos: number, dim: number): Row {
  const bank = drawBank(dim);
  const moments = function* (): Generator<Moment> {
    for (let video = 0; video < videos; video++) yield momentOf(drawVideo(bank, video));
  };
  const began = cpuMs();
  const bytes = encodeMoment(sumInRuns(moments()));
  const reduceSeconds = (cpuMs() - began) / 1000;
  const peakMegabytes = process.resourceUsage().maxRSS / 1024;

  const times: number[] = [];
  for (let i = 0; i < SUMMARISED; i++) {
    // Not one of those counted: the same problem at every size, but for the size.
    const features = drawVideo(bank, 2 ** 31 + i, SUMMARISED_SHOTS);
    const start = cpuMs();
    const topic = {
      moment: decodeMoment(bytes),
      votes: { count: videos },
      featuresOf: () => features,
    };
    createSelector({ method: 'cvs' }).select(problemInTopic(0, 'moment', topic));
    times.push(cpuMs() - start);
  }
  return {
    ...{ videos, dim, reduceSeconds, peakMegabytes },
    momentBytes: bytes.length,
    summariseMs: times.toSorted((a, b) => a - b)[SUMMARISED >> 1]!,
    summariseShots: SUMMARISED_SHOTS,
  };
}
