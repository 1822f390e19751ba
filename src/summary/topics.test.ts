import { describe, expect, it } from 'vitest';
import { parseTopics, serialiseTopics, type TopicsDocument } from './index.js';

const document: TopicsDocument = {
  schema: 'topics.1',
  throughline: '0.1.0',
  folder: 'everything',
  groups: null,
  model: { name: 'small' },
  concordance: 0.98,
  topics: [
    {
      name: 'topic-1',
      centre: 'a',
      inside: 0.8,
      outside: 0.5,
      videos: [{ id: 'a', path: 'a.mp4', sha256: '0'.repeat(64) }],
    },
  ],
  alone: [{ id: 'b', path: 'b.mp4', sha256: '1'.repeat(64), nearest: 'topic-1', likeness: 0.6 }],
  skipped: [],
};

describe('topics.json', () => {
  it('comes back as it was', () => {
    expect(parseTopics(serialiseTopics(document))).toEqual(document);
  });

  it('is refused with a sentence where it is something else', () => {
    const refusal = (text: string): string => {
      try {
        parseTopics(text, 'x.json');
      } catch (error) {
        return String(error);
      }
      return 'accepted';
    };
    expect(refusal('{')).toContain('Expected JSON in "x.json"');
    expect(refusal('{"schema":"summary.1"}')).toContain('Expected schema "topics.1"');
    expect(refusal(serialiseTopics(document).replace('topics.1', 'topics.2'))).toContain('newer');
    expect(refusal(JSON.stringify({ ...document, concordance: 2 }))).toContain('valid concordance');
  });
});
