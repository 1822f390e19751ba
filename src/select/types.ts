import type { Matrix, TallMatrix } from '../base/index.js';
import type { Problem } from '../topic/index.js';

/**
 * One method of choosing shots. Knobs go to the factory, data to the call; the whole ranking comes back.
 * With `M` a `TallMatrix`, shots need not be in memory.
 */
export type Selector<R extends Ranking = Ranking, M extends TallMatrix = Matrix> = {
  readonly name: string;
  /** Ranks every shot. `onIteration` sees each step and may answer 'stop'; methods that do not iterate never call it. */
  // A property, not a method: a selector that needs its shots in memory must not pass for one that does not.
  readonly select: (problem: Problem<M>, onIteration?: (step: Step) => void | 'stop') => R;
};

/** One outer iteration of a solver. */
export type Step = {
  /** Counted from 1. */
  readonly iteration: number;
  /** The function that is minimised. For methods that can prove it, as cvs can, it never rises. */
  readonly objective: number;
  /** How far the method is from its end, relative, as it measures that itself; 0 = finished. */
  readonly residual: number;
};

/**
 * The result of a method. Arrays except `order` are indexed by shot. Methods that look at the video alone have `shared` zero
 * and `own` equal to the scores; methods that look only at what videos have in common, the other way round.
 */
export type Ranking = {
  /**
   * Shot indices: pinned shots first, vetoed ones last, the others between, most important first. Shots without importance
   * follow by how near they came to having some.
   */
  readonly order: readonly number[];
  /** Place of each shot in the order, from 0. Shots that tie share a place; `order` lists the earlier shot first. */
  readonly places: readonly number[];
  /** Importance: √(own² + shared²). */
  readonly scores: Float64Array;
  /** What the shot does for its own video (cvs: row norm of Z). */
  readonly own: Float64Array;
  /** What the shot does for the other videos (cvs: row norm of Z̃). */
  readonly shared: Float64Array;
  /** For methods that pair shots with shots: the other videos behind each shot, in the order of the neighbours. */
  readonly support?: readonly (readonly Support[])[];
  readonly trace: readonly Step[];
  /** How the method ended. */
  readonly certificate: {
    readonly iterations: number;
    /** False when the method gave up or was stopped before `residual` met its tolerance. */
    readonly converged: boolean;
    /** As in the last `Step`; 0 for methods that do not iterate. */
    readonly residual: number;
  };
};

/** One other video's part in a shot's shared importance. */
export type Support = {
  /** Index into the neighbours given. */
  readonly neighbor: number;
  /** Part of the shot's shared importance that comes from this video; all shares of a shot sum to 1. */
  readonly share: number;
  /** The shot of that video that this shot represents most, and how strongly; `null` if single shots are not known. */
  readonly shot: number | null;
  readonly weight: number | null;
};

/** A ranking by cvs, with the proof of how good it is. */
export type CvsRanking = Ranking & {
  /**
   * How far the result is from the optimum, and what was solved. `residual` is that of the KKT conditions, each row's
   * relative to its own penalty, λs + β times its price.
   */
  readonly certificate: {
    /** Duality gap relative to the objective at Z = 0: no point lies lower by more. `null` if it is not known. */
    readonly gap: number | null;
    /** Number of shots with any importance, without the pinned ones. */
    readonly active: number;
    /** The smallest λs at which nothing is chosen (with β in its ratio to λs), or nothing besides the pinned shots. */
    readonly lambdaMax: number;
    /** The paper's λ0 = max_i ‖x_iᵀX‖. */
    readonly lambdaZero: number;
    /** λs as used; β is `consensus` times this, or 0 without other videos. */
    readonly lambda: number;
    /** ε as used; 0 = eq. 5 itself. */
    readonly epsilon: number;
    /** Which solver ran, and whether on n × n ('shots') or r × r ('features') matrices. */
    readonly solver: 'halfQuadratic' | 'accelerated' | 'activeSet' | 'none';
    readonly form: 'shots' | 'features';
    /** Share of the features' squared length that was used; below 1 only if `rank` cut some off. */
    readonly kept: number;
  };
};

/** The knobs of collaborative video summarisation, each with its letter in the paper. */
export type CvsKnobs = {
  /** α: how much the other videos count, compared with the video itself. */
  readonly contextWeight: number;
  /** s: 0 looks for what only this video has, 1 for what the topic shares; 0.5 is the paper's balance (balance.ts). */
  readonly shared: number;
  /** λd: how strongly similar shots exclude each other. */
  readonly diversity: number;
  /** 1/γ: λs as a share of the reference named by `sparsityScale`. Larger concentrates importance on fewer shots. */
  readonly sparsity: number;
  /** The reference: the exact λ_max, the paper's λ0, or 1 so that `sparsity` is λs itself. */
  readonly sparsityScale: 'lambdaMax' | 'lambdaZero' | 'absolute';
  /** β/λs: how strongly both halves must agree on the shots they use. The paper has 1; without other videos β is 0. */
  readonly consensus: number;
  /** κ: how much the evidence of a shot lowers its price, w = exp(−κe) times λs and β. The paper has 0: one price for all. */
  readonly evidence: number;
  /**
   * √ε in units of a row's length when all shots share the load evenly; √(‖z‖² + ε) replaces ‖z‖, as in the paper.
   * 0 is eq. 5 itself, solved by active sets: shots that are not needed then score exactly zero.
   */
  readonly smoothing: number;
  /** 'absolute' takes `smoothing` as ε itself. */
  readonly smoothingScale: 'relative' | 'absolute';
  /** Relative KKT residual at which a result counts as optimal. */
  readonly tolerance: number;
  readonly maxIterations: number;
  /** D, D̃: what makes two shots similar. */
  readonly similarity: 'inner' | 'cosine' | 'rbf';
  /** σ in exp(−‖x−y‖²/2σ²); `null` takes the root mean square distance of the video's shots. */
  readonly bandwidth: number | null;
  /** 'halfQuadratic' is the paper's iteration unchanged, for ε > 0; 'auto' reaches the same optimum sooner. */
  readonly solver: 'auto' | 'halfQuadratic';
  /** 'shots' works with n × n matrices, 'features' with r × r, r the rank of the features; 'auto' takes the cheaper. */
  readonly form: 'auto' | 'shots' | 'features';
  /** Keep at most this many directions of the features; `null` keeps all of them, which is exact. */
  readonly rank: number | null;
};

/** Squared row norms of Z and Z̃: they decide everything else about a point. */
export type Norms = { readonly a: Float64Array; readonly b: Float64Array };

/** Where a solver ended: the norms, the gradient norms there, and the terms of the objective. */
export type Outcome = Norms & {
  /** ‖(sGZ − B)_i‖ and ‖(s̃G̃Z̃ − B̃)_i‖. */
  readonly gradient: Float64Array;
  readonly gradientShared: Float64Array;
  /** tr BᵀZ, tr B̃ᵀZ̃, s tr ZᵀGZ and s̃ tr Z̃ᵀG̃Z̃. */
  readonly terms: {
    readonly lin: number;
    readonly linShared: number;
    readonly quad: number;
    readonly quadShared: number;
  };
  /** λ at which each row would enter, as a share of λs: 1 or more where it has; `null` where no row is ever zero. */
  readonly nearness: Float64Array | null;
  readonly trace: readonly Step[];
  readonly residual: number;
  readonly converged: boolean;
};
