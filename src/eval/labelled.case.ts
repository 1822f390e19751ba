import fc from 'fast-check';
import type { Judgement, LabelledVideo } from './index.js';

/** A judgement from marks: shots by falling mark, ties to the earlier; the first `size` are the reference. */
export function judged(judge: string, marks: readonly number[], size = marks.length >> 1): Judgement {
  const order = [...marks.keys()].sort((a, b) => marks[b]! - marks[a]! || a - b);
  return { judge, reference: new Set(order.slice(0, size)), order, marks: Float64Array.from(marks) };
}

/** A video of shots of ten frames each. */
export function labelled(id: string, topic: string, judgements: readonly Judgement[], shotCount = 5): LabelledVideo {
  const shots = Array.from({ length: shotCount }, (_, shot) => ({ startFrame: 10 * shot, endFrame: 10 * shot + 10 }));
  return { id, topic, frameCount: 10 * shotCount, shots, judgements };
}

/** Any video with one to six judges, with a ranking and scores of its shots. */
export const anyVideo = fc
  .record({ shotCount: fc.integer({ min: 1, max: 24 }), judgeCount: fc.integer({ min: 1, max: 6 }) })
  .chain(({ shotCount, judgeCount }) => {
    const marks = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: shotCount, maxLength: shotCount });
    const judge = fc.tuple(marks, fc.integer({ min: 0, max: shotCount }));
    return fc.record({
      video: fc
        .array(judge, { minLength: judgeCount, maxLength: judgeCount })
        .map((all) => labelled('v', 'topic', all.map(([given, size], j) => judged(`${j}`, given, size)), shotCount)), // prettier-ignore
      order: fc.shuffledSubarray([...Array(shotCount).keys()], { minLength: shotCount }),
    });
  });
