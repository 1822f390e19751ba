import { othersWanted } from '../stages/index.js';
import { chunksOf, placesOf } from './chunks.js';
import { namesOf, readHead, requireRecord, type Roster } from './records.js';
import type { TaskDesk, Phase, Task, TaskTree } from './types.js';

/**
 * The tasks that can be planned once a phase is over. After `submit`: every video extracted, gathered, then the roster.
 * After `roster`: the moment, as a tree. After `moment`: every video summarised, gathered, the film of the topic, the export.
 */
export async function treeAfter(topic: string, done: Phase, desk: Pick<TaskDesk, 'objects'>): Promise<TaskTree> {
  const head = await readHead(desk.objects, topic);
  if (done === 'submit') return { task: { topic, kind: 'roster' }, children: gathered(topic, 'extract', head.videos) };
  const { count } = await requireRecord<Roster>(desk.objects, namesOf(topic).roster);
  if (done === 'roster' && othersWanted(head, count) === 'moment') return momentTree(topic, count);
  const summaries = gathered(topic, 'summarise', count);
  const concept: TaskTree = { task: { topic, kind: 'concept' }, children: summaries };
  return { task: { topic, kind: 'export' }, children: head.options.concept === undefined ? summaries : [concept] };
}

/** One task per video, and one gather task per chunk of videos. */
function gathered(topic: string, of: 'extract' | 'summarise', count: number): TaskTree[] {
  return ranges(count).map(({ chunk, places }) => ({
    task: { topic, kind: 'gather', of, chunk },
    children: places.map((place) => ({ task: { topic, kind: of, place }, children: [] })),
  }));
}

/** The tree that adds up a topic's moment: a leaf per 64 videos, a node per 64 leaves, and so on up to one root. */
function momentTree(topic: string, count: number): TaskTree {
  const nodeOf = (level: number, node: number): Task => ({ topic, kind: 'moment', level, node });
  let level = 0;
  let nodes = ranges(count).map(({ chunk }): TaskTree => ({ task: nodeOf(0, chunk), children: [] }));
  while (nodes.length > 1) {
    level++;
    nodes = ranges(nodes.length).map(({ chunk, places }) => ({
      task: nodeOf(level, chunk),
      children: places.map((place) => nodes[place]!),
    }));
  }
  return nodes[0]!;
}

function ranges(count: number): { chunk: number; places: number[] }[] {
  return Array.from({ length: chunksOf(count) }, (_, chunk) => ({ chunk, places: placesOf(chunk, count) }));
}
