/**
 * I run an archive: cut the work into tasks that any machine can do, in any order, and get the same bytes as from one.
 * (`throughline worker` and `submit` do this with queues on Redis; here a loop of a few lines takes their place.)
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { drawDemo, optionsSchema, summarizeTopic } from 'throughline-video';
import {
  fetchResults,
  openObjects,
  runTask,
  submitTopic,
  treeAfter,
  type Phase,
  type TaskTree,
} from 'throughline-video/jobs';

await drawDemo('harbour-town');
const options = optionsSchema.parse({ length: '25%', films: false, pictures: 'none' });

// A folder that all machines can reach, or s3://bucket/prefix.
const objects = await openObjects('store');
const context = { objects, scratch: 'scratch', jobs: 2, emit: () => undefined };
const { topicId, videos } = await submitTopic(['harbour-town'], options, context);
console.log(`submitted ${videos} videos as ${topicId.slice(0, 8)}`);

const done: Record<string, number> = {};
const work = async ({ task, children }: TaskTree): Promise<Phase | undefined> => {
  for (const child of children) await work(child);
  // Any machine may do this, even twice or at the same time: the second finds it done.
  const { next } = await runTask(task, context);
  done[task.kind] = (done[task.kind] ?? 0) + 1;
  return next;
};
for (let phase: Phase | undefined = 'submit'; phase;) phase = await work(await treeAfter(topicId, phase, context));
console.log('tasks:', Object.entries(done).map(([kind, count]) => `${count} ${kind}`).join(', ')); // prettier-ignore

const { files } = await fetchResults(topicId, 'from-many', context);
await summarizeTopic('harbour-town', { ...options, out: 'from-one' });
for (const file of files)
  assert.deepEqual(await readFile(`from-many/${file}`), await readFile(`from-one/${file}`), file);
console.log(`${files.length} files, the same bytes as on one machine`);
