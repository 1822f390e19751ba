/** throughline-video/eval: how good a ranking or a summary is, by marks that people gave. */
export {
  scoreboard,
  scoreOwnRanking,
  scoreOwnSummary,
  scoreVideo,
  type LabelledVideo,
  type Scoreboard,
} from '../eval/index.js';
