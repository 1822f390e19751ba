import { expect, it } from 'vitest';

import { mixedTopic } from '../timeline/timeline.case.js';
import { writeCutList } from './export-selection.js';

it('a cut list of the studio names the small copies that it made', () => {
  const proxies = new Map([['/footage/slow.mp4', '/topic/proxies/a b.mp4']]);
  const request = { of: 'all', format: 'json', rate: null, handles: 0, comments: [], proxies } as const;
  const { text } = writeCutList(mixedTopic(), request, (path) => `/footage/${path}`);
  const sources: { path: string; url: string; proxy?: string }[] = JSON.parse(text).sources;
  expect(sources.filter(({ proxy }) => proxy !== undefined)).toEqual([
    expect.objectContaining({ url: 'file:///footage/slow.mp4', proxy: 'file:///topic/proxies/a%20b.mp4' }),
  ]);
  expect(sources).toHaveLength(4);
});
