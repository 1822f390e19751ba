/** throughline-video/select: the solver and all methods, on matrices of your own. It loads neither videos nor services. */
export type { Matrix, TallMatrix } from '../base/index.js';
export {
  createSelector,
  cvs,
  explain,
  METHOD_NAMES,
  methods,
  type CvsKnobs,
  type CvsRanking,
  type Method,
  type MethodChoice,
  type MethodName,
  type Ranking,
  type Selector,
  type Step,
  type Support,
} from '../select/index.js';
export {
  mergeMoments,
  momentOf,
  problemOf,
  problemsOfTopic,
  type Moment,
  type Neighbor,
  type Others,
  type Problem,
  type Votes,
} from '../topic/index.js';
