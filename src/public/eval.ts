/** throughline-video/eval: how good a ranking or a summary is, by marks that people gave. */
export {
  scoreboard,
  scoreOwnRanking,
  scoreOwnSummary,
  scoreVideo,
  type Contender,
  type JudgedMean,
  type LabelledVideo,
  type MetricName,
  type Scoreboard,
} from '../eval/index.js';
