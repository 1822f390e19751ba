import { createHash } from 'node:crypto';
import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';

import { attributesNamed, type Tag, tagsOf } from '../../../render/report/tags.case.js';
import type { Benchmark } from '../../benchmark.js';
import { METRICS } from '../../metrics/names.js';
import { renderBenchmark } from './page.js';
import { sampleBenchmark, TEN_TOPICS } from '../sample.case.js';
import { PAGE_SCRIPT, scaleOf, upwards } from './chart.js';

const picture = Buffer.from([0xff, 0xd8, 0xff, 0xd9]);
const sample = sampleBenchmark();

async function page(benchmark: Benchmark): Promise<string> {
  let text = '';
  for await (const part of renderBenchmark(benchmark, async () => picture)) text += part;
  return text;
}

const textOf = (html: string): string =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** The cells of the table with this caption, line by line, heading first. */
function tableOf(text: string, caption: string): string[][] {
  const table = text.split('<table').find((part) => part.includes(`<caption>${caption}`));
  return [...(table ?? '').split('</table>')[0]!.matchAll(/<tr[^>]*>([\s\S]*?)<\/tr>/g)].map(([, line]) =>
    [...line!.matchAll(/<(t[hd])[^>]*>([\s\S]*?)<\/\1>/g)].map(([, , cell]) => textOf(cell!)),
  );
}

const three = (value: number | null): string =>
  value === null
    ? '–'
    : value
        .toFixed(3)
        .replace('-', '−')
        .replace(/^−(?=0\.000$)/, '');

describe('the page of a benchmark', () => {
  it('closes every element it opens', async () => {
    const open: string[] = [];
    const alone = new Set(['!doctype', 'meta', 'img', 'input', 'rect', 'path', 'line', 'circle']);
    for (const tag of tagsOf(await page(sample))) {
      if (alone.has(tag.name)) continue;
      if (tag.closing) expect(open.pop()).toBe(tag.name);
      else open.push(tag.name);
    }
    expect(open).toEqual([]);
  });

  it('has unique ids, and every heading it refers to is there', async () => {
    const tags = tagsOf(
      await page(sampleBenchmark({ change: { skipped: [{ path: 'a', code: 'b', message: 'c' }], notes: ['d'] } })),
    );
    const ids = attributesNamed(tags, 'id');
    expect(new Set(ids).size).toBe(ids.length);
    for (const target of attributesNamed(tags, 'aria-labelledby')) expect(ids).toContain(target);
  });

  it('loads nothing and allows only its own style and script', async () => {
    const text = await page(sample);
    const hash = (body: string | undefined): string => createHash('sha256').update(body!).digest('base64');
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(text)?.[1]?.replaceAll('&#39;', "'") ?? '';
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      'img-src data:',
      `style-src 'sha256-${hash(/<style>([\s\S]*?)<\/style>/.exec(text)?.[1])}'`,
      `script-src 'sha256-${hash(/<script>([\s\S]*?)<\/script>/.exec(text)?.[1])}'`,
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    expect(attributesNamed(tagsOf(text), 'style')).toEqual([]);
    for (const source of attributesNamed(tagsOf(text), 'src')) expect(source).toMatch(/^data:image\/jpeg;base64,/);
    expect(text).not.toMatch(/https?:\/\/|url\(/);
    expect(() => new Script(PAGE_SCRIPT)).not.toThrow();
  });

  it('is the same bytes every time', async () => {
    expect(await page(sampleBenchmark())).toBe(await page(sampleBenchmark()));
  });

  it('gives every table a caption and every heading a scope, every drawing a title or none to read', async () => {
    const text = await page(sample);
    const tags = tagsOf(text).filter(({ closing }) => !closing);
    const named = (name: string): Tag[] => tags.filter((tag) => tag.name === name);
    expect(named('caption')).toHaveLength(named('table').length);
    for (const { attributes } of named('th')) expect(attributes.get('scope')).toMatch(/^(row|col)$/);
    for (const [, drawing, after] of text.matchAll(/<svg([^>]*role="img"[^>]*)>\s*(<\w+)/g)) {
      expect(drawing).toBeDefined();
      expect(after).toBe('<title');
    }
    for (const { attributes } of named('img')) expect(attributes.get('alt')).toMatch(/^Place \d: shot/);
  });
});

describe('hostile names', () => {
  it('are escaped everywhere', { tags: 'slow' }, async () => {
    const evil = `"'><img src=x onerror=alert(1)>\n</script></style><script>alert(2)</script>\u202Egpj\u0000 😀 \ud800" onfocus="alert(3)`;
    const made = sampleBenchmark({
      topics: [{ code: evil, title: evil }],
      noise: { cvs: 1, 'cvs-neighborhood': 1, [evil]: 2 },
      paper: false,
      settings: { subject: 'cvs' },
      change: {
        notes: [evil],
        protocol: [evil],
        skipped: [{ path: evil, code: evil, message: evil }],
        throughline: evil,
      },
    });
    const text = await page({
      ...made,
      paper: { [evil]: { mean: 0.5, topics: { [evil]: 0.5 } } },
      dataset: { ...made.dataset, notes: [evil], files: [{ path: evil, sha256: evil }] },
      inputs: [{ video: evil, sha256: evil }],
      rows: made.rows.map((row) => ({ ...row, features: { name: evil, version: evil, dim: 3 } })),
      scoreboard: { ...made.scoreboard, leftOut: [{ video: evil, missing: [evil] }] },
    });
    const tags = tagsOf(text);
    const known = new Set(tagsOf(await page(sample)).map((tag) => tag.name));
    for (const name of ['section', 'ul', 'li', 'p', 'code']) known.add(name);
    for (const tag of tags) {
      expect(known).toContain(tag.name);
      for (const name of tag.attributes.keys()) expect(name).not.toMatch(/^on/i);
    }
    expect(tags.filter((tag) => tag.name === 'script' && !tag.closing)).toHaveLength(1);
    expect(attributesNamed(tags, 'src')).not.toContain('x');
    expect(text).not.toMatch(/[\u0000\u202e]|[\ud800-\udbff](?![\udc00-\udfff])/);
  });

  it('does not mistake inherited properties for figures of the paper', async () => {
    const text = await page(sampleBenchmark({ noise: { cvs: 1, constructor: 2 } }));
    expect(
      tableOf(text, 'AP@5 of every row')
        .find(([name]) => name === 'constructor')
        ?.at(-1),
    ).toBe('–');
  });
});

describe('what the page says', () => {
  it('has the numbers of the record for every measure, row and topic', async () => {
    const text = await page(sample);
    const { rows, settings } = sample.scoreboard;
    for (const [name, title] of Object.entries(METRICS) as [keyof typeof METRICS, string][]) {
      const [chart, topics, tests] = [
        tableOf(text, `${title} of every row`),
        tableOf(text, `${title} by topic`),
        tableOf(text, `${title}: ${settings.subject} minus each row`),
      ];
      rows.forEach(({ scores: { [name]: score } }, place) => {
        expect(chart[place + 1]![2]).toBe(three(score.overall));
        expect(chart[place + 1]![3]).toBe(`[${three(score.interval!.low)}, ${three(score.interval!.high)}]`);
        const column = topics.slice(1).map((line) => line[place + 1]!.split(' ')[0]);
        expect(column).toEqual([...score.perTopic, score.overall].map(three));
      });
      const compared = rows.flatMap(({ scores: { [name]: score } }) => score.subjectLead ?? []);
      expect(tests.slice(1, -1).map((line) => line[2]!.replace('+', ''))).toEqual(
        compared.map(({ overall }) => three(overall)),
      );
      expect(tests.slice(1, -1).map((line) => line.at(-1))).toEqual(
        compared.map(({ byVideo }) => three(byVideo!.power)),
      );
    }
  });

  it('sets the paper’s figures under ours at AP@5, and nowhere else', async () => {
    const text = await page(sample);
    const [heads, ...lines] = tableOf(text, 'AP@5 by topic');
    const column = heads!.indexOf('cvs');
    expect(lines.map((line) => line[column]!.split(' ')[1])).toEqual(['0.328', '0.413', '0.379', '0.372']);
    expect(
      tableOf(text, 'AP@15 by topic')
        .flat()
        .filter((cell) => cell.includes(' 0.')),
    ).toEqual([]);
    expect(await page(sampleBenchmark({ paper: false }))).not.toContain('class="paper"');
  });

  it('marks the best method of each topic', async () => {
    const text = await page(sample);
    const table = text.split('<caption>AP@5 by topic').at(1)!.split('</table>')[0]!;
    const best = [...table.matchAll(/<span class="best">([^<]*)</g)].map(([, value]) => value);
    const methods = sample.scoreboard.rows.filter(({ kind }) => kind === 'method').map(({ scores }) => scores.ap5);
    const greatest = (values: (number | null)[]): string => three(Math.max(...values.map((value) => value!)));
    expect(best).toEqual([
      ...sample.scoreboard.topics.map((_, topic) => greatest(methods.map(({ perTopic }) => perTopic[topic]!))),
      greatest(methods.map(({ overall }) => overall)),
    ]);
  });

  it('puts dots, whiskers and marks of a row where the axis has their values', async () => {
    const chart = (await page(sample)).split('<caption>AP@5 of every row').at(1)!.split('</table>')[0]!;
    const place = (text: string | undefined): number => Number.parseFloat(text!);
    const ticks = [...chart.matchAll(/<text x="([^"]*)" y="19">([^<]*)</g)].map(([, x, tick]) => [
      place(x),
      Number(tick),
    ]);
    const [[x0, low], [x1, high]] = [ticks[0]!, ticks.at(-1)!] as [[number, number], [number, number]];
    const at = (value: number): number => x0 + ((value - low) / (high - low)) * (x1 - x0);
    const lanes = chart.split('<svg class="plot').slice(1);
    const people = sample.scoreboard.rows.find(({ name }) => name === 'humanMean')!.scores.ap5.overall!;
    sample.scoreboard.rows.forEach(({ name, scores: { ap5 } }, row) => {
      const lane = lanes[row]!;
      expect(place(/<circle class="dot" cx="([^"]*)"/.exec(lane)?.[1])).toBeCloseTo(at(ap5.overall!), 2);
      expect(place(/"guide-line people" x1="([^"]*)"/.exec(lane)?.[1])).toBeCloseTo(at(people), 2);
      const [, from, to] = /<g class="whisker">\s*<line x1="([^"]*)" x2="([^"]*)"/.exec(lane)!;
      expect(place(from)).toBeCloseTo(at(ap5.interval!.low), 2);
      expect(place(to)).toBeCloseTo(at(ap5.interval!.high), 2);
      const paper = sample.paper![name]?.mean;
      const mark = /<svg class="paper" x="([^"]*)"/.exec(lane)?.[1];
      if (paper === undefined) expect(mark).toBeUndefined();
      else expect(place(mark)).toBeCloseTo(at(paper), 2);
    });
  });

  it('lists the videos from where cvs does best to where it does worst', async () => {
    const text = await page(sample);
    const lines = tableOf(text, 'AP@5 of every video').slice(1);
    const { videos, rows } = sample.scoreboard;
    const { perVideo } = rows.find(({ name }) => name === 'cvs')!.scores.ap5;
    const chance = rows.find(({ name }) => name === 'random')!.scores.ap5.perVideo;
    const order = [...videos.keys()].sort((one, other) => perVideo[other]! - perVideo[one]!);
    expect(lines.map((line) => line[0])).toEqual(order.map((video) => videos[video]!.id));
    expect(lines.map((line) => line[4])).toEqual(order.map((video) => three(perVideo[video]!)));
    const above = order.filter((video) => perVideo[video]! > chance[video]!).length;
    expect(text).toContain(`cvs is above random in ${above} of 9 videos`);
  });

  it('shows the same video with and without the others, one picture at a time', async () => {
    const asked: string[] = [];
    let [text, before] = ['', 0];
    for await (const part of renderBenchmark(
      sample,
      async (video, shot) => (asked.push(`${video} ${shot}`), shot === 0 ? null : picture),
    )) {
      expect(asked.length - before).toBeLessThanOrEqual(1);
      before = asked.length;
      text += part;
    }
    const shown = sample.examples.flatMap(({ video, rankings }) =>
      rankings.flatMap(({ shots }) => shots.map(({ shot, wantedBy }) => ({ key: `${video} ${shot}`, wantedBy, shot }))),
    );
    expect(asked).toEqual(shown.map(({ key }) => key));
    const wanted = [...text.matchAll(/title="Place[^"]* wanted by (\d+) of 4 judges"/g)].map(([, count]) =>
      Number(count),
    );
    expect(wanted).toEqual(shown.map(({ wantedBy }) => Math.round(4 * wantedBy)));
    expect(text.match(/class="blank"/g) ?? []).toHaveLength(shown.filter(({ shot }) => shot === 0).length);
    for (const { rankings } of sample.examples)
      for (const { p5 } of rankings) expect(text).toContain(`P@5 ${three(p5)}`);
  });

  it('names protocol, notes, skipped videos, files and versions', async () => {
    const made = sampleBenchmark({
      change: { notes: ['A remark.'], skipped: [{ path: 'x.mp4', code: 'truncated', message: 'Half.' }] },
    });
    const text = await page(made);
    for (const said of [
      ...made.protocol,
      'A remark.',
      'x.mp4',
      'Half.',
      'truncated',
      '1 video skipped',
      made.dataset.files[0]!.sha256,
      ...made.inputs.map(({ sha256 }) => sha256),
      'benchmark.2, scoreboard.2',
      'efficientnet-lite0',
    ])
      expect(text).toContain(said);
  });
});

describe('small and odd benchmarks', () => {
  const cases: Readonly<Record<string, Benchmark>> = {
    'one video of one judge': sampleBenchmark({ topics: TEN_TOPICS.slice(0, 1), videosPerTopic: 1, judges: 1 }),
    'no marks and no paper': sampleBenchmark({ marks: false, paper: false }),
    'a method that is perfect and one that is the reverse': sampleBenchmark({ noise: { cvs: -1e-9, best: 0 } }),
    'a method that is cvs itself': sampleBenchmark({ noise: { cvs: 0, 'cvs-neighborhood': 0 } }),
    'no subject': sampleBenchmark({ noise: { kmeans: 1 } }),
    'no methods': sampleBenchmark({ noise: {} }),
  };

  it.each(Object.keys(cases))('%s: every number is a number', async (name) => {
    const text = (await page(cases[name]!)).replace(PAGE_SCRIPT, '');
    expect(text).not.toMatch(/NaN|undefined|Infinity|null/);
    expect(tagsOf(text).length).toBeGreaterThan(50);
  });

  it('shows people and floors where no method was run', async () => {
    const chart = tableOf(await page(cases['no methods']!), 'AP@5 of every row').slice(1, -1);
    const { rows } = cases['no methods']!.scoreboard;
    expect(chart.map((line) => line[2])).toEqual(rows.map(({ scores }) => three(scores.ap5.overall)));
    expect(chart).toHaveLength(8);
  });

  it('offers only measures that the labels have values for', async () => {
    const offered = async (benchmark: Benchmark): Promise<string[]> =>
      tagsOf(await page(benchmark)).flatMap(({ name, attributes }) =>
        name === 'input' ? [attributes.get('value')!] : [],
      );
    expect(await offered(cases['no marks and no paper']!)).toEqual([
      'p5',
      'p15',
      'ap5',
      'ap15',
      'ap5Retrieved',
      'ap15Retrieved',
      'f1Mean',
      'f1Max',
    ]);
    expect(await offered(sample)).toEqual(Object.keys(METRICS));
  });
});

describe('a scale', () => {
  it('has round steps around its values', () => {
    expect(scaleOf([0.211, 0.788]).ticks).toEqual([0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]);
    expect(scaleOf([-0.012, 0.05]).ticks).toEqual([-0.02, -0.01, 0, 0.01, 0.02, 0.03, 0.04, 0.05]);
    expect(scaleOf([0, 1]).ticks).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(scaleOf([]).ticks.length).toBeGreaterThan(1);
  });

  it('spans from 3 % to 97 % of its room', () => {
    const { place } = scaleOf([0, 1]);
    expect([0, 0.5, 1].map(place)).toEqual(['3%', '50%', '97%']);
    expect(upwards('3%')).toBe('97%');
  });

  it.each([[0], [0.4], [-0.3], [1e-9]])('holds the single value %d', (value) => {
    const at = Number.parseFloat(scaleOf([value]).place(value));
    expect(at).toBeGreaterThanOrEqual(3);
    expect(at).toBeLessThanOrEqual(97);
  });
});
