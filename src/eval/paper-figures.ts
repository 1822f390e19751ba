/*
 * The figures of the paper (Panda and Roy-Chowdhury, CVPR 2017), shown next to ours: AP@5, tables 1 to 4. The paper does
 * not say which form of AP it uses, nor how the rankings of judges were made, so the two are not on one scale.
 */

const COLUMNS = [
  'humanWorst', 'humanMean', 'humanBest', 'kmeans', 'spectral', 'smrs', 'livelight', 'cocluster', 'cosum', 'cvs',
] as const; // prettier-ignore

/** A row of the paper's tables: AP@5 by column, methods under our names. */
type PaperRow = { readonly [Column in (typeof COLUMNS)[number]]: number };

function row(...values: number[]): PaperRow {
  return Object.fromEntries(COLUMNS.map((column, at) => [column, values[at]!])) as PaperRow;
}

/** AP@5 of every method by topic, and the mean. */
type PaperTable = { readonly mean: PaperRow; readonly topics: Readonly<Record<string, PaperRow>> };

/** Tables 1 and 2, by data set, topics under our codes. */
export const paperTables: Readonly<Record<'tvsum' | 'cosum', PaperTable>> = {
  cosum: {
    mean: row(0.679, 0.812, 0.893, 0.407, 0.436, 0.511, 0.525, 0.576, 0.602, 0.687),
    topics: {
      base_jump: row(0.652, 0.831, 0.896, 0.415, 0.463, 0.487, 0.504, 0.561, 0.631, 0.658),
      bike_polo: row(0.661, 0.792, 0.89, 0.391, 0.457, 0.511, 0.492, 0.625, 0.592, 0.675),
      eiffel_tower: row(0.697, 0.758, 0.881, 0.398, 0.445, 0.532, 0.556, 0.575, 0.618, 0.722),
      excavators_river_xing: row(0.705, 0.814, 0.912, 0.432, 0.395, 0.516, 0.525, 0.563, 0.575, 0.693),
      kids_playing_in_leaves: row(0.679, 0.746, 0.863, 0.408, 0.442, 0.534, 0.521, 0.557, 0.594, 0.707),
      mlb: row(0.698, 0.861, 0.914, 0.417, 0.458, 0.518, 0.543, 0.563, 0.624, 0.679),
      nfl: row(0.66, 0.775, 0.865, 0.389, 0.425, 0.513, 0.558, 0.587, 0.603, 0.674),
      notre_dame_cathedral: row(0.683, 0.825, 0.904, 0.399, 0.397, 0.475, 0.496, 0.617, 0.595, 0.702),
      statue_of_liberty: row(0.687, 0.874, 0.921, 0.42, 0.464, 0.538, 0.525, 0.551, 0.602, 0.715),
      surfing: row(0.676, 0.837, 0.879, 0.401, 0.415, 0.501, 0.533, 0.562, 0.594, 0.647),
    },
  },
  tvsum: {
    mean: row(0.356, 0.505, 0.613, 0.211, 0.249, 0.301, 0.306, 0.329, 0.345, 0.372),
    topics: {
      VT: row(0.285, 0.461, 0.589, 0.225, 0.235, 0.287, 0.272, 0.336, 0.295, 0.328),
      VU: row(0.392, 0.505, 0.634, 0.248, 0.241, 0.305, 0.324, 0.369, 0.357, 0.413),
      GA: row(0.402, 0.521, 0.627, 0.206, 0.249, 0.329, 0.331, 0.342, 0.325, 0.379),
      MS: row(0.365, 0.507, 0.618, 0.228, 0.302, 0.366, 0.362, 0.375, 0.412, 0.398),
      PK: row(0.372, 0.503, 0.622, 0.196, 0.223, 0.311, 0.289, 0.324, 0.318, 0.354),
      PR: row(0.359, 0.534, 0.635, 0.179, 0.216, 0.247, 0.276, 0.301, 0.334, 0.381),
      FM: row(0.337, 0.484, 0.606, 0.218, 0.252, 0.294, 0.302, 0.318, 0.365, 0.365),
      BK: row(0.298, 0.515, 0.591, 0.203, 0.247, 0.278, 0.297, 0.295, 0.313, 0.326),
      BT: row(0.365, 0.498, 0.602, 0.226, 0.295, 0.318, 0.314, 0.327, 0.365, 0.402),
      DS: row(0.386, 0.529, 0.614, 0.187, 0.232, 0.284, 0.295, 0.309, 0.357, 0.378),
    },
  },
};

const COSUM_TOPICS = Object.keys(paperTables.cosum.topics);

function byTopic(values: readonly number[]): Readonly<Record<string, number>> {
  return Object.fromEntries(COSUM_TOPICS.map((topic, at) => [topic, values[at]!]));
}

/** One row of a comparison on CoSum. */
type PaperComparison = Readonly<
  Record<string, { readonly mean: number; readonly topics: Readonly<Record<string, number>> }>
>;

/** cvs with each kind of features, AP@5 on CoSum. */
export const paperFeatures: PaperComparison = {
  shallow: { mean: 0.618, topics: byTopic([0.58, 0.632, 0.677, 0.614, 0.598, 0.607, 0.575, 0.612, 0.655, 0.623]) },
  vgg: { mean: 0.643, topics: byTopic([0.591, 0.626, 0.724, 0.638, 0.617, 0.642, 0.615, 0.604, 0.721, 0.649]) },
  c3d: { mean: 0.687, topics: byTopic([0.658, 0.675, 0.722, 0.693, 0.707, 0.679, 0.674, 0.702, 0.715, 0.647]) },
};

/** cvs with and without its parts, AP@5 on CoSum. */
export const paperAblation: PaperComparison = {
  'cvs-neighborhood': {
    mean: 0.538,
    topics: byTopic([0.552, 0.543, 0.551, 0.583, 0.51, 0.529, 0.534, 0.532, 0.516, 0.527]),
  },
  'cvs-diversity': {
    mean: 0.654,
    topics: byTopic([0.643, 0.65, 0.678, 0.672, 0.645, 0.653, 0.619, 0.666, 0.688, 0.609]),
  },
  cvs: { mean: 0.687, topics: byTopic([0.658, 0.675, 0.722, 0.693, 0.707, 0.679, 0.674, 0.702, 0.715, 0.647]) },
};
