import { mapLimited, type TallMatrix } from '../base/index.js';
import { pictureVectors, shotVectors, spreadOver, type ShotVectors } from '../stages/index.js';
import { alikeFrom, sumOfShots } from '../topic/index.js';
import { recall, type OpenTopic } from './open-topic.js';
import { READ_AT_ONCE, type Member } from './records.js';

/**
 * Reads the vectors that represent a member's shots, one video at a time. Whitening needs the whole topic: then all vectors
 * are read once and kept in memory.
 */
export function featureReader(
  topic: OpenTopic,
  everybody: () => Promise<readonly Member[]>,
): (member: Member) => Promise<TallMatrix> {
  const { run } = topic;
  const { options } = run;
  if (options.whiten === undefined) {
    return async (member) => (await shotVectors([await recall(member, topic)], options, run))[0]!;
  }
  const whitened = async (): Promise<Map<number, TallMatrix>> => {
    const members = await everybody();
    const videos = await mapLimited(members, READ_AT_ONCE, (member) => recall(member, topic));
    const vectors = await shotVectors(videos, options, run);
    return new Map(vectors.map((features, place) => [members[place]!.input, features]));
  };
  let all: ReturnType<typeof whitened> | null = null;
  return async ({ input }) => (await (all ??= whitened())).get(input)!;
}

/** The vectors from which the film of a topic is chosen, read on demand. */
export function vectorsOfTopic(members: readonly Member[], topic: OpenTopic): ShotVectors {
  const featuresOf = featureReader(topic, async () => members);
  const { run } = topic;
  const looksOf = async (member: Member): Promise<TallMatrix> =>
    (await pictureVectors([await recall(member, topic)], run.options, run))[0]!;
  return {
    of: async (place) => ({ features: await featuresOf(members[place]!), looks: await looksOf(members[place]!) }),
    async alike() {
      const some = spreadOver(members.length).map((place) => members[place]!);
      return alikeFrom(await mapLimited(some, READ_AT_ONCE, async (member) => sumOfShots(await looksOf(member))));
    },
  };
}
