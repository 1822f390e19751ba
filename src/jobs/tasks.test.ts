import { describe, expect, it } from 'vitest';

import { MOMENT_RUN } from '../topic/index.js';
import { optionsSchema } from '../options/index.js';
import type { ObjectStore } from '../storage/index.js';
import { namesOf, taskId, treeAfter, type Phase, type Task, type TaskTree } from './index.js';

/** What planning reads of a topic of so many videos, of which some were left out. */
function planned(videos: number, members: number, options: object = {}): { objects: ObjectStore } {
  const wishes = { pin: [], veto: [], sequence: [], topicSequence: [] };
  const head = {
    ...{ schema: 'job.1', topic: 'T', options: optionsSchema.parse(options), engine: {}, extractor: 'x 1', videos },
    ...{ shots: null, wishes, notes: [], skipped: [] },
  };
  const { head: headName, roster } = namesOf('t');
  const records = new Map<string, unknown>([
    [headName, head],
    [roster, { count: members, inBackground: [], notes: [], skipped: [] }],
  ]);
  const read = async (name: string): Promise<Buffer | null> => {
    const record = records.get(name);
    return record === undefined ? null : Buffer.from(JSON.stringify(record));
  };
  return { objects: { url: 'memory', read } as unknown as ObjectStore };
}

function flat(tree: TaskTree): Task[] {
  return [...tree.children.flatMap(flat), tree.task];
}

const phases: readonly Phase[] = ['submit', 'roster', 'moment'];

describe('the tasks of a topic', () => {
  it.each([1, 2, 63, 64, 65, 4096, 4097])(
    'of %i videos: one a video, none wider than a run of 64 but the last',
    async (count) => {
      const context = planned(count, count);
      for (const phase of ['submit', 'moment'] as const) {
        const tree = await treeAfter('t', phase, context);
        const ofVideos = flat(tree).filter((task) => 'place' in task);
        expect(ofVideos.map((task) => ('place' in task ? task.place : -1))).toEqual([...Array(count).keys()]);
        expect(tree.children).toHaveLength(Math.ceil(count / 64));
        for (const { children } of tree.children) expect(children.length).toBeLessThanOrEqual(64);
      }
      const moment = await treeAfter('t', 'roster', context);
      if (count === 1) return expect(moment.task.kind).toBe('export');
      const widths: number[] = [];
      for (let level = [moment]; level.length > 0; level = level.flatMap(({ children }) => children))
        widths.unshift(level.length);
      const expected = [Math.ceil(count / MOMENT_RUN)];
      while (expected.at(-1)! > 1) expected.push(Math.ceil(expected.at(-1)! / MOMENT_RUN));
      expect(widths).toEqual(expected);
      expect(moment.task).toEqual({ topic: 't', kind: 'moment', level: expected.length - 1, node: 0 });
    },
  );

  it('have names of their own, safe in a queue', async () => {
    const context = planned(130, 129, { concept: '10s' });
    const all = (await Promise.all(phases.map((phase) => treeAfter('t', phase, context)))).flatMap(flat);
    const names = all.map(taskId);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9-]+$/);
    expect(names).toContain('t-gather-extract-2');
    expect(names).toContain('t-moment-1-0');
  });

  it('make a film of the topic only where one is asked for, and a moment only for methods that want it', async () => {
    const kinds = async (phase: Phase, options: object): Promise<Set<string>> =>
      new Set(flat(await treeAfter('t', phase, planned(3, 3, options))).map(({ kind }) => kind));
    expect(await kinds('moment', {})).toEqual(new Set(['summarise', 'gather', 'export']));
    expect(await kinds('moment', { concept: '5s' })).toEqual(new Set(['summarise', 'gather', 'concept', 'export']));
    expect(await kinds('roster', {})).toEqual(new Set(['moment']));
    expect(await kinds('roster', { method: 'uniform' })).toEqual(new Set(['summarise', 'gather', 'export']));
    expect(await kinds('roster', { contextWeight: 0 })).toEqual(new Set(['summarise', 'gather', 'export']));
  });

  it('of a topic that was never submitted are refused', async () => {
    await expect(treeAfter('unknown', 'submit', planned(1, 1))).rejects.toMatchObject({ code: 'no-record' });
  });
});
