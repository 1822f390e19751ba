import { createHash } from 'node:crypto';
import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { VideoSummary } from '../../summary/index.js';
import { renderReport } from '../index.js';
import { PAGE_SCRIPT } from './page.client.js';
import { PICTURE_LIMIT } from './topic.js';
import { sampleConcept, sampleDocument, samplePair, sampleShot, sampleVideo } from './sample.case.js';
import { attributesNamed, tagsOf } from './tags.case.js';

const picture = Buffer.from([0xff, 0xd8, 0xff, 0xd9]);
async function collect(parts: AsyncIterable<string>): Promise<string[]> {
  const collected: string[] = [];
  for await (const part of parts) collected.push(part);
  return collected;
}

const page = async (document: Parameters<typeof renderReport>[0]): Promise<string> =>
  (await collect(renderReport(document, async () => picture))).join('');

describe('the report page', () => {
  it('closes every element it opens', async () => {
    const open: string[] = [];
    const alone = new Set(['!doctype', 'meta', 'img', 'rect', 'path', 'use']);
    for (const tag of tagsOf(await page(samplePair()))) {
      if (alone.has(tag.name)) continue;
      if (tag.closing) expect(open.pop()).toBe(tag.name);
      else open.push(tag.name);
    }
    expect(open).toEqual([]);
  });

  it('has unique ids, and every link inside the page leads to one', async () => {
    const tags = tagsOf(await page(samplePair()));
    const ids = attributesNamed(tags, 'id');
    expect(new Set(ids).size).toBe(ids.length);
    const links = attributesNamed(tags, 'href').filter((href) => href.startsWith('#'));
    expect(links).toContain('#s1-0');
    for (const target of [...links.map((href) => href.slice(1)), ...attributesNamed(tags, 'data-jump')]) {
      expect(ids).toContain(target);
    }
  });

  it('marks what was wished for, says so in the reason, and measures the others against each other', async () => {
    const shots = [
      sampleShot(0, { score: 9, own: 9, rank: 0, chosen: true, pinned: true }),
      sampleShot(1, { score: 2, own: 2, rank: 1, chosen: true }),
      sampleShot(2, { score: 1, own: 1, rank: 2, flaws: [{ kind: 'black', share: 1 }] }),
      sampleShot(3, { score: 0, own: 0, rank: 3, vetoed: true }),
    ];
    const text = await page(sampleDocument([sampleVideo('a', shots)]));
    const cells = tagsOf(text).filter((tag) => tag.name === 'button' && attributesNamed([tag], 'data-relative').length);
    expect(attributesNamed(cells, 'class')).toEqual([
      'shot chosen pinned',
      'shot chosen',
      'shot flawed',
      'shot vetoed',
    ]);
    expect(attributesNamed(cells, 'data-relative')).toEqual(['1', '1', '0.5', '0']);
    expect(attributesNamed(cells, 'aria-label')[3]).toContain('vetoed, rank 4');
    expect(text.match(/>Asked for by a wish\./g)).toHaveLength(1);
    expect(attributesNamed(cells, 'data-reason').slice(2)).toEqual(['Left out: black.', 'Left out: vetoed.']);
    for (const mark of ['<b>Pinned, vetoed</b>', '<b>Refused</b>']) {
      expect(text).toContain(mark);
      expect(await page(samplePair())).not.toContain(mark);
    }
  });

  it('finds where the film shows a shot of which only the middle plays, in any order', async () => {
    const base = { num: 1, den: 1000 };
    const shots = [sampleShot(0, { chosen: true }), sampleShot(1), sampleShot(2, { chosen: true })];
    const clip = (startFrame: number): VideoSummary['clips'][number] => ({
      startFrame,
      endFrame: startFrame + 10,
      range: { start: startFrame * 40, end: startFrame * 40 + 400, base },
    });
    const text = await page(sampleDocument([sampleVideo('a', shots, { clips: [clip(110), clip(20)] })]));
    expect(attributesNamed(tagsOf(text), 'data-at')).toEqual(['0.4', '0']);
  });

  it('allows only its own style and script', async () => {
    const text = await page(samplePair());
    const hash = (body: string | undefined): string =>
      createHash('sha256')
        .update(body ?? '')
        .digest('base64');
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(text)?.[1]?.replaceAll('&#39;', "'") ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`style-src 'sha256-${hash(/<style>([\s\S]*?)<\/style>/.exec(text)?.[1])}'`);
    expect(policy).toContain(`script-src 'sha256-${hash(/<script>([\s\S]*?)<\/script>/.exec(text)?.[1])}'`);
    expect(attributesNamed(tagsOf(text), 'style')).toEqual([]);
    expect(text).not.toMatch(/https?:\/\//);
  });

  it('shows the videos from the least to the most alike, with the numbers and pictures that say so', async () => {
    const shots = [sampleShot(0, { chosen: true }), sampleShot(1)];
    const belonging = (rank: number, likeness: number, nearest: string) =>
      ({
        rank,
        likeness,
        least: 0.4,
        typical: 0.6,
        views: 4,
        nearest,
        nearestLikeness: 0.5,
        against: 'background',
      }) as const;
    const named = await page(
      sampleDocument([
        sampleVideo('a', shots, { standing: { weight: 0.5, isStray: false }, belonging: belonging(1, 0.7, 'b') }),
        sampleVideo('b', shots, {
          standing: { weight: 0.5, isStray: false, doubleOf: 'a' },
          belonging: belonging(2, 0.7, 'a'),
        }),
        sampleVideo('c', shots, { standing: { weight: 0.25, isStray: true }, belonging: belonging(3, 0.125, 'a') }),
      ]),
    );
    const section = /id="belonging"[\s\S]*?<\/section>/.exec(named)![0];
    expect(section).toContain('look at this first');
    expect([...section.matchAll(/class="ordinal">(\d)/g)].map(([, ordinal]) => ordinal)).toEqual(['3', '2', '1']);
    for (const text of ['<b>0.13</b>', '0.40', 'does not seem to belong', 'data-picture="s2-1"'])
      expect(section).toContain(text);
    expect(named).toMatch(/Shows the same as <a href="#v0"><bdi>a\.mp4<\/bdi><\/a>/);
    expect(await page(samplePair())).not.toContain('id="belonging"');
  });

  it('has a script that parses', async () => {
    expect(() => new Script(PAGE_SCRIPT)).not.toThrow();
  });

  it('is the same bytes every time', async () => {
    expect(await page(samplePair())).toBe(await page(samplePair()));
  });
});

describe('hostile names', () => {
  const evil = `"'><img src=x onerror=alert(1)>\n</script></style><script>alert(2)</script>\u202Egpj\u0000 😀 שלום <!-- &lt; \ud800" onfocus="alert(3)`;

  it('are escaped everywhere', async () => {
    const videos = [0, 1].map((at) =>
      sampleVideo(
        `${evil}${at}`,
        [sampleShot(0, { chosen: true, shared: 1, support: [{ video: `${evil}${1 - at}`, share: 0.5, shot: 0 }] })],
        { path: evil, codec: evil, sha256: evil, film: `films/${evil}`, storyboard: evil },
      ),
    );
    const text = await page(
      sampleDocument(videos, {
        topic: evil,
        throughline: evil,
        model: { name: evil, sha256: evil },
        options: { [evil]: evil, nested: { [evil]: [evil] } },
        skipped: [{ path: evil, code: evil, message: evil }],
        notes: [evil],
      }),
    );
    const tags = tagsOf(text);
    const known = new Set(tagsOf(await page(samplePair())).map((tag) => tag.name));
    for (const name of ['ul', 'li', 'section', 'code']) known.add(name);
    for (const tag of tags) {
      expect(known).toContain(tag.name);
      for (const name of tag.attributes.keys()) expect(name).not.toMatch(/^on/i);
    }
    expect(tags.filter((tag) => tag.name === 'script' && !tag.closing)).toHaveLength(1);
    expect(tags.filter((tag) => tag.name === 'img').map((tag) => tag.attributes.get('src') ?? '')).not.toContain('x');
    expect(text).not.toMatch(/[\u0000\u202e\ud800-\udbff](?![\udc00-\udfff])/);
    expect(text).toContain('😀 שלום');
  });

  it('cannot turn a link into a scheme, a query or a fragment', async () => {
    const video = sampleVideo('a', [sampleShot(0, { chosen: true })], {
      film: 'films/a?b#c "d".mp4',
      storyboard: 'javascript:alert(1)',
    });
    const tags = tagsOf(await page(sampleDocument([video])));
    const hrefs = attributesNamed(tags, 'href');
    expect(hrefs).toContain('./films/a%3Fb%23c%20%22d%22.mp4');
    expect(hrefs).toContain('./javascript%3Aalert(1)');
    expect(attributesNamed(tags, 'src')).toContain('./films/a%3Fb%23c%20%22d%22.mp4');
  });
});

describe('what the page says', () => {
  it('splits a bar as own² to shared²: 3 and 4 make 36 % and 64 % of the strongest', async () => {
    const text = await page(samplePair());
    expect(text).toContain(
      '<path class="own" d="M5000 64H10000v36H5000z"/><path class="shared" d="M5000 0H10000v64H5000z"/>',
    );
    expect(text).toContain('own 36 %');
    expect(text).toContain('shared 64 %');
    expect(text).toContain('b.mp4, its shot at 0:00.0');
  });

  it('counts time from the first frame for people and gives the ticks of the file as they are', async () => {
    const shifted = [0, 1].map((index) =>
      sampleShot(index, {
        chosen: index === 1,
        range: { start: 3_600_000 + index * 2000, end: 3_602_000 + index * 2000, base: { num: 1, den: 1000 } },
      }),
    );
    const shot = tagsOf(await page(sampleDocument([sampleVideo('late', shifted)]))).find(
      (tag) => tag.attributes.get('id') === 's0-1',
    );
    expect(shot?.attributes.get('data-clock')).toBe('0:02.0 – 0:04.0');
    expect(shot?.attributes.get('data-ticks')).toBe('3602000 3604000');
  });

  it('knows where a chosen shot plays in the film', async () => {
    const shots = [0, 1, 2, 3].map((index) => sampleShot(index, { chosen: index !== 0 && index !== 2 }));
    const places = attributesNamed(tagsOf(await page(sampleDocument([sampleVideo('a', shots)]))), 'data-at');
    expect(places).toEqual(['0', '2']);
    // Clips of two seconds that fade into each other over half a second.
    const faded = sampleDocument([sampleVideo('a', shots)], { options: { fade: 0.5 } });
    expect(attributesNamed(tagsOf(await page(faded)), 'data-at')).toEqual(['0', '1.5']);
  });

  it('keeps room for footage that belongs to no shot: before, between and after the shots', async () => {
    const shots = [1, 3].map((at, index) => ({ ...sampleShot(at), index, rank: index }));
    const range = { start: 0, end: 10_000, base: { num: 1, den: 1000 } };
    const tags = tagsOf(await page(sampleDocument([sampleVideo('a', shots, { range, frames: 250 })])));
    const gaps = tags.filter((tag) => tag.attributes.get('class') === 'gap');
    expect(attributesNamed(gaps, 'data-ticks')).toEqual(['0 2000', '4000 6000', '8000 10000']);
  });

  it('says who else shows a shot, with their pictures, and why others were left out', async () => {
    const evidence = { total: 1, strength: -2 };
    const by = [{ video: 'b', shot: 1, similarity: 6 }];
    const own = [
      sampleShot(0, { chosen: true, evidence: { total: 1 }, shown: { others: 1, by, own: 0 } }),
      sampleShot(1, { evidence }),
    ];
    const text = await page(sampleDocument([sampleVideo('a', own), sampleVideo('b', [sampleShot(0), sampleShot(1)])]));
    expect(text).toContain('<p class="because">The other video shows this.</p>');
    expect(text).toMatch(/<ul class="counterparts">[^]*?data-jump="s1-1"[^]*?data-picture="s1-1"/);
    expect(text).toContain('data-reason="Left out: less to see than in most of its video."');
  });

  it('shows no index of a single video', async () => {
    const text = await page(sampleDocument([sampleVideo('only', [sampleShot(0, { chosen: true })])]));
    expect(text).not.toContain('class="index"');
  });

  it('names a supporting video that is not in the document without a link', async () => {
    const shot = sampleShot(0, { chosen: true, shared: 1, support: [{ video: 'gone', share: 1, shot: 7 }] });
    const text = await page(sampleDocument([sampleVideo('a', [shot]), sampleVideo('b', [sampleShot(0)])]));
    expect(text).toContain('<span class="peer"><bdi class="name">gone</bdi>');
    expect(text).not.toContain('s1-7');
  });

  it('stays finite when nothing scores', async () => {
    const zero = { score: 0, own: 0, shared: 0 };
    const text = await page(
      sampleDocument([sampleVideo('dull', [sampleShot(0, { ...zero, chosen: true }), sampleShot(1, zero)])]),
    );
    expect(text.replace(PAGE_SCRIPT, '')).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('lists skipped files, notes, options and the solver', async () => {
    const document = sampleDocument(
      [sampleVideo('a', [sampleShot(0)], { solver: { iterations: 500, converged: false, residual: 0.02 } })],
      {
        skipped: [{ path: 'x/broken.mp4', code: 'truncated', message: 'Expected a whole file, found half.' }],
        notes: ['One video only.'],
        options: { length: '15%', whiten: null },
      },
    );
    const text = await page(document);
    expect(text).not.toContain('whiten');
    for (const said of [
      'x/broken.mp4',
      'Expected a whole file, found half.',
      'truncated',
      'One video only.',
      '15%',
      '0.02',
      '500',
    ]) {
      expect(text).toContain(said);
    }
    expect(text).toContain('did not settle on 1 video');
  });

  it('opens when every file was skipped', async () => {
    expect(await page(sampleDocument([], { skipped: [{ path: 'a', code: 'b', message: 'c' }] }))).toContain(
      '1 file skipped',
    );
  });

  it('gives upright videos an upright strip', async () => {
    const lanes = async (widthPx: number, heightPx: number): Promise<string[]> =>
      attributesNamed(
        tagsOf(await page(sampleDocument([sampleVideo('a', [sampleShot(0)], { widthPx, heightPx })]))),
        'class',
      );
    expect(await lanes(360, 640)).toContain('lane tall');
    expect(await lanes(640, 360)).not.toContain('lane tall');
  });
});

describe('the film of the topic', () => {
  const withConcept = (change: Parameters<typeof sampleConcept>[2] = {}) => {
    const pair = samplePair();
    return sampleDocument(pair.videos, { concept: sampleConcept(pair.videos, [['b', 0], ['a', 1]], change) }); // prettier-ignore
  };

  it('is at the top, with a player and each shot, its source, its reason and its time', async () => {
    const html = await page(withConcept());
    const [start, end] = [html.indexOf('<section class="concept"'), html.indexOf('<section class="strip"')];
    expect(start).toBeGreaterThan(0);
    expect(end).toBeGreaterThan(start);
    const section = html.slice(start, end);
    const tags = tagsOf(section);
    expect(attributesNamed(tags, 'src')).toContain('./concept.mp4');
    expect(attributesNamed(tags, 'data-poster')).toEqual(['s1-0']);
    expect(attributesNamed(tags, 'href')).toEqual(['./concept.mp4', './concept.storyboard.png', '#s1-0', '#v1', '#s0-1', '#v0']); // prettier-ignore
    expect(attributesNamed(tags, 'data-at')).toEqual(['0', '2']);
    expect(section).toContain('Rank 2 of 5, the best of its video.');
    expect(section).toMatch(/4\.0 s · 2 shots of 2 videos · chosen from 5 shots · 640 × 360, 25 fps/);
    const ids = attributesNamed(tagsOf(html), 'id');
    for (const target of attributesNamed(tags, 'data-jump')) expect(ids).toContain(target);
  });

  it('is a list if no film was rendered, and absent if none was asked for', async () => {
    const html = await page(withConcept({ film: null }));
    expect(html).toContain('concept-body bare');
    expect(html).not.toContain('fconcept');
    expect(html).not.toContain('data-play="concept"');
    expect(await page(samplePair())).not.toContain('class="concept"');
  });

  it('names shots of videos that the page does not show, and borrows no other picture for them', async () => {
    const document = withConcept();
    const shown = { ...document, videos: document.videos.slice(0, 1) };
    let html = '';
    for await (const part of renderReport(shown, async () => picture, 2)) html += part;
    const section = html.slice(html.indexOf('<section class="concept"'), html.indexOf('<section class="strip"'));
    const tags = tagsOf(section);
    expect(section).toContain('<bdi>b</bdi>');
    expect(section).toContain('Rank 1 of 5, the best of its video.');
    expect(attributesNamed(tags, 'data-at')).toEqual(['0', '2']);
    expect(attributesNamed(tags, 'data-jump')).toEqual(['s0-1']);
    expect(attributesNamed(tags, 'data-poster')).toEqual(['s0-1']);
  });

  it('keeps its pictures in a very long topic', async () => {
    const shots = Array.from({ length: 2 * PICTURE_LIMIT }, (_, index) =>
      sampleShot(index, { chosen: index % 2 === 0 }),
    );
    const videos = [sampleVideo('long', shots)];
    const html = await page(sampleDocument(videos, { concept: sampleConcept(videos, [['long', 2001]]) }));
    expect(html).toMatch(/id="s0-2001"[^>]*>\s*<img/);
  });
});

describe('a very long topic', () => {
  const shots = Array.from({ length: 6000 }, (_, index) => sampleShot(index, { chosen: index % 10 === 3 }));
  const document = sampleDocument([sampleVideo('long', shots)]);

  it('carries a limited number of pictures, those of the chosen shots first, and says so', async () => {
    const asked = new Set<number>();
    let text = '';
    for await (const part of renderReport(document, async (_, index) => (asked.add(index), picture))) text += part;
    expect(asked.size).toBe(PICTURE_LIMIT);
    expect(shots.filter((shot) => shot.chosen && !asked.has(shot.index))).toEqual([]);
    expect(text).toContain('1\u2009500 of 6\u2009000 shots');
    expect(text.match(/class="blank"/g)).toHaveLength(6000 - PICTURE_LIMIT);
  });

  it(
    'of ten hours shows only chosen shots that carry their picture, and counts the others',
    { tags: 'slow' },
    async () => {
      const many = Array.from({ length: 28_000 }, (_, index) => sampleShot(index, { chosen: index % 7 === 3 }));
      const html = await page(sampleDocument([sampleVideo('long', many)]));
      const pictured = new Set(html.match(/id="s0-\d+"(?=[^>]*>\s*<img)/g)?.map((id) => id.slice(4, -1)));
      expect(pictured.size).toBe(PICTURE_LIMIT);
      const lent = html.match(/data-picture="[^"]+"/g)!.map((i) => i.slice(14, -1));
      expect(lent.filter((id) => !pictured.has(id))).toEqual([]);
      expect(html.match(/class="why"/g)).toHaveLength(PICTURE_LIMIT);
      expect(html).toContain('Not shown here: 2\u2009500 more chosen shots.');
    },
  );

  it('comes in small pieces, one picture at a time', async () => {
    const large = Buffer.alloc(12_000, 7);
    let asked = 0;
    let before = 0;
    for await (const part of renderReport(document, async () => (asked++, large))) {
      expect(asked - before).toBeLessThanOrEqual(1);
      before = asked;
      if (part.length > 20_000) expect(part).toMatch(/^<g id="b0">|<style>|<script>/);
    }
    expect(asked).toBe(PICTURE_LIMIT);
  });
});
