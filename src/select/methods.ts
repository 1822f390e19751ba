import type { TallMatrix } from '../base/index.js';
import type { Others } from '../topic/index.js';
import { cocluster } from './baselines/cocluster.js';
import { cosum } from './baselines/cosum.js';
import { cvs, cvsAlone } from './cvs.js';
import { kmeans, spectral } from './baselines/clusters.js';
import { livelight } from './baselines/livelight.js';
import { loading } from './pinned.js';
import { random, uniform } from './ranking.js';
import { smrs } from './baselines/smrs.js';
import type { CvsKnobs, Ranking, Selector } from './types.js';

/** Every method by name, in the order of the paper's tables. */
export const METHOD_NAMES = [
  'cvs',
  'kmeans',
  'spectral',
  'smrs',
  'livelight',
  'cocluster',
  'cosum',
  'cvs-neighborhood',
  'cvs-diversity',
  'cvs-paper',
  'random',
  'uniform',
] as const;
/** One of `METHOD_NAMES`. */
export type MethodName = (typeof METHOD_NAMES)[number];

/** A method and its settings, as plain data that can be sent to a thread. */
export type MethodChoice = {
  readonly method: MethodName;
  /** For methods that draw random numbers; the others ignore it. */
  readonly seed?: number;
  /** For cvs and its ablations. */
  readonly knobs?: Partial<CvsKnobs>;
};

/** A method: what it does, what it needs, and how to make its selector. */
export type Method = {
  /** How it chooses shots, in half a line. */
  readonly summary: string;
  /** What it needs to know about the other videos. */
  readonly others: Others;
  /** Its own defaults for the knobs of cvs. */
  readonly knobs?: Partial<CvsKnobs>;
  /** How vectors of shots are scaled for it, unless somebody asks for another way; absent = as for every other method. */
  readonly normalise?: 'length';
  /** How it measures the length of shots, if not by the default. */
  readonly shotsBy?: 'frames';
  make(choice: MethodChoice): Selector<Ranking, TallMatrix>;
};

/**
 * Eq. 5 with what the paper states: α, λd, λs = β = λ0/γ, a small ε, one price for all shots. The paper gives γ > 1 and no ε;
 * γ = 50 and ε = 1e-4 are those of the code its authors published.
 */
const paperKnobs: Partial<CvsKnobs> = {
  contextWeight: 0.5,
  shared: 0.5,
  diversity: 0.01,
  sparsity: 1 / 50,
  sparsityScale: 'lambdaZero',
  consensus: 1,
  evidence: 0,
  smoothing: 1e-4,
  smoothingScale: 'absolute',
  similarity: 'inner',
};

/** All methods: the paper’s, those it is compared with, and the two that know nothing. */
export const methods: Readonly<Record<MethodName, Method>> = {
  cvs: {
    summary: 'shots that rebuild their own video and the others (collaborative summarisation)',
    others: 'moment',
    make: (choice) => cvs(knobsOf(choice)),
  },
  kmeans: {
    summary: 'the shot nearest the centre of each large cluster',
    others: 'none',
    make: (choice) => loading(kmeans(seedOf(choice))),
  },
  spectral: {
    summary: 'as kmeans, with clusters that follow chains of similar shots',
    others: 'none',
    make: (choice) => loading(spectral(seedOf(choice))),
  },
  smrs: {
    summary: 'the few shots that rebuild the whole video (sparse modelling representative selection)',
    others: 'none',
    make: () => loading(smrs()),
  },
  livelight: {
    summary: 'in film order, shots that those before do not explain',
    others: 'none',
    make: () => loading(livelight()),
  },
  cocluster: {
    summary: 'shots that share a cluster with shots of the other videos',
    others: 'shots',
    make: (choice) => loading(cocluster(seedOf(choice))),
  },
  cosum: {
    summary: 'blocks of shots that all look alike in two videos (co-summarisation)',
    others: 'shots',
    make: () => loading(cosum()),
  },
  'cvs-neighborhood': {
    summary: 'cvs without the other videos',
    others: 'none',
    make: (choice) => cvsAlone(knobsOf(choice)),
  },
  'cvs-diversity': {
    summary: 'cvs without its diversity term',
    others: 'moment',
    make: (choice) => ({ ...cvs(knobsOf(choice)), name: 'cvs-diversity' }),
  },
  'cvs-paper': {
    summary: 'cvs with the settings of the paper instead of ours',
    others: 'moment',
    knobs: paperKnobs,
    normalise: 'length',
    shotsBy: 'frames',
    make: (choice) => ({ ...cvs(knobsOf(choice)), name: 'cvs-paper' }),
  },
  random: {
    summary: 'a shuffle: what every method must beat',
    others: 'none',
    make: (choice) => random(seedOf(choice)),
  },
  uniform: {
    summary: 'shots spread evenly over the film',
    others: 'none',
    make: () => uniform(),
  },
};

/** The knobs that a choice of cvs or one of its variants sets: those of the method, then those given. */
export function knobsOf({ method, knobs }: MethodChoice): Partial<CvsKnobs> {
  return method === 'cvs-diversity' ? { ...knobs, diversity: 0 } : { ...methods[method].knobs, ...knobs };
}

/** Makes the selector of a choice. */
export function createSelector(choice: MethodChoice): Selector<Ranking, TallMatrix> {
  return methods[choice.method].make(choice);
}

function seedOf({ seed }: MethodChoice): { seed?: number } {
  return seed === undefined ? {} : { seed };
}

/**
 * How a method ranks shots pooled from the summaries of a topic (concept visualisation): the pool is one video without
 * others. cvs and its ablations are solved with α = β = 0 and no D̃, as the paper says. Methods that know only what videos
 * share cannot rank such a pool: for them it is `null`, and the shots keep their scores (as in Chu et al. 2015).
 */
export function pooledChoice(choice: MethodChoice): MethodChoice | null {
  const { method } = choice;
  if (methods[method].others === 'shots') return null;
  if (!method.startsWith('cvs')) return choice;
  return { ...choice, method: 'cvs-neighborhood', knobs: { ...knobsOf(choice), contextWeight: 0, consensus: 0 } };
}
