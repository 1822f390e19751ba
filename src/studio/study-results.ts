import { csvText, UsageError } from '../base/index.js';
import { criticalT, meanOf, pairedTest } from '../eval/index.js';
import type { MethodName } from '../select/index.js';
import { letterOf, type Study } from './study.js';
import type { StudyResults, StudyRow } from './study-contract.js';

/** Of the intervals (95 %) and of the paired tests. */
const LEVEL = 0.05;

/** The results of a study that has ended. Only raters who handed in their marks are counted. */
export function resultsOf(study: Study): StudyResults {
  requireEnded(study);
  const raters = study.raters.filter(({ finished }) => finished);
  const kinds = (['film', 'video'] as const).filter((kind) => study.subjects.some((subject) => subject.kind === kind));
  return {
    ...{ id: study.id, keyWord: study.keyWord, raters: raters.length, csv: `/studies/${study.id}.csv` },
    unfinished: study.raters.length - raters.length,
    tables: kinds.map((kind) => {
      const marksBy = (method: MethodName): number[][] =>
        raters.map(({ ballots }) =>
          ballots.flatMap(({ subject, order, marks }) =>
            study.subjects[subject]!.kind === kind ? [marks[order.indexOf(method)]!] : [],
          ),
        );
      const first = marksBy(study.methods[0]!).map(mean);
      return {
        ...{ kind, length: (kind === 'film' ? study.film : study.summaries)! },
        subjects: study.subjects.filter((subject) => subject.kind === kind).length,
        rows: study.methods.map((method, index) => rowOf(method, marksBy(method), index === 0 ? null : first)),
      };
    }),
  };
}

/** A row from the marks of a method, by rater, and the mean marks of the first method, by rater. */
function rowOf(method: MethodName, marks: readonly number[][], first: readonly number[] | null): StudyRow {
  const all = marks.flat();
  const means = marks.map(mean);
  const test = first && pairedTest(first.map((value, rater) => value - means[rater]!), LEVEL); // prettier-ignore
  const centre = meanOf(means);
  const spread = deviationOf(means);
  // The marks of one rater are not independent, so the interval is over raters.
  const half = spread === null ? null : (criticalT(LEVEL, means.length - 1) * spread) / Math.sqrt(means.length);
  return {
    ...{ method, marks: all.length, mean: centre, deviation: deviationOf(all) },
    interval: half === null || centre === null ? null : { low: centre - half, high: centre + half },
    lead: test && { mean: test.meanDifference, p: test.p, pairs: test.pairCount },
  };
}

/** A row for each rater, subject and method, as CSV. */
export function studyCsv(study: Study): string {
  requireEnded(study);
  const rows = study.raters.flatMap(({ name, finished, ballots }) =>
    ballots.flatMap(({ subject, order, marks }, index) =>
      order.map((method, at) => ({
        ...{ study: study.id, key_word: study.keyWord, rater: name, finished: finished ? 'yes' : 'no' },
        ...{ kind: study.subjects[subject]!.kind, subject: study.subjects[subject]!.title, seen_as_number: index + 1 },
        ...{ letter: letterOf(at), method, mark: marks[at]! },
      })),
    ),
  );
  return csvText(rows);
}

function requireEnded({ ended }: Study): void {
  if (!ended) throw new UsageError('study-open', 'This study is still open. End it to see its results.');
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Standard deviation of a sample; `null` for fewer than two values. */
function deviationOf(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1));
}
