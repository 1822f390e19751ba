/**
 * Who may import whom: the table of ARCHITECTURE.md, which `npm run docs` turns into lint rules (`.oxlintrc.json`).
 * A room is a folder of `src/` and is entered through its `index.ts`; zones beside the rooms list their files.
 */
type Zone = {
  /** Its files, if it is not a folder. */
  readonly files?: readonly string[];
  /** Rooms it may import, or those it may not. */
  readonly may: readonly string[] | { readonly anyBut: readonly string[] };
  /** Rooms from which it may import only types. */
  readonly types?: readonly string[];
};

/** The rooms that the steps of the pipeline are made of. */
const steps = ['base', 'media', 'shots', 'features', 'topic', 'select', 'summary', 'render'] as const;

export const zones: Readonly<Record<string, Zone>> = {
  base: { may: [] },
  media: { may: ['base'] },
  shots: { may: ['base'], types: ['media'] },
  features: { may: ['base', 'media'], types: ['shots'] },
  topic: { may: ['base'], types: ['features'] },
  select: { may: ['base'], types: ['topic'] },
  summary: { may: ['base', 'shots'], types: ['select'] },
  timeline: { may: ['base', 'summary'] },
  render: { may: ['base', 'media', 'summary', 'timeline'], types: ['shots'] },
  storage: { may: ['base'] },
  http: { may: ['base'] },
  demo: { may: ['base', 'media'] },
  options: { may: ['base', 'shots', 'features', 'select', 'summary', 'render'] },
  pipeline: { may: [...steps, 'options', 'storage', 'version'] },
  eval: {
    may: ['base', 'shots', 'features', 'topic', 'select', 'summary', 'render', 'pipeline', 'version'],
    types: ['options'],
  },
  jobs: { may: [...steps, 'options', 'pipeline', 'storage', 'version'] },
  library: { files: ['library'], may: { anyBut: ['jobs', 'studio', 'service', 'agents', 'cli'] } },
  studio: { may: { anyBut: ['jobs', 'service', 'agents', 'cli'] } },
  service: { may: { anyBut: ['studio', 'agents', 'cli'] } },
  agents: { may: { anyBut: ['jobs', 'service', 'cli'] } },
  cli: { may: { anyBut: [] } },
};

/** Files beside the rooms that belong to no zone. */
const others = ['version'];
const names = [...Object.keys(zones), ...others];
const isRoom = (name: string): boolean => zones[name] !== undefined && zones[name].files === undefined;

/** What a zone may import, as ARCHITECTURE.md says it. */
export function mayImport(name: string): string {
  const { may, types = [] } = zones[name]!;
  if (!isList(may)) return `any \`index.ts\`${may.anyBut.length > 0 ? ` but ${may.anyBut.join(', ')}` : ''}`;
  const reported = may.filter((each) => !others.includes(each));
  return [...reported, ...(types.length > 0 ? [`types of ${types.join(', ')}`] : [])].join(', ') || 'nothing';
}

/** Lint rules for every zone, in the order of the table. */
export function zoneRules(): readonly object[] {
  const rules = Object.entries(zones).map(([name, { files, may, types = [] }]) => {
    const inside = isRoom(name) ? [`src/${name}/**/*.ts`] : files!.map((file) => `src/${file}.ts`);
    const allowed = isList(may) ? may : names.filter((each) => !may.anyBut.includes(each));
    const forbidden = names.filter((each) => ![name, ...allowed, ...types].includes(each));
    const message = `${name} may import ${mayImport(name)}.`;
    const patterns = [
      ...(forbidden.length > 0 ? [{ group: forbidden.flatMap(pathsOf), message }] : []),
      ...(isList(may)
        ? [{ regex: String.raw`^\.\.?/(\.\./)*index\.js$`, message: `${name} is not told who calls it.` }]
        : []),
      ...(types.length > 0 ? [{ group: types.flatMap(pathsOf), allowTypeImports: true, message }] : []),
      ...enterByDoors(names.filter((each) => isRoom(each) && each !== name)),
    ];
    return ruleFor(inside, patterns, name === 'cli' ? { 'no-console': 'off' } : {});
  });
  const page = [
    { group: ['node:*'], message: 'The page runs in a browser.' },
    {
      regex: String.raw`^\.\./[^/]+\.js$`,
      allowTypeImports: true,
      message: 'The page knows the server by its types; values that both need are in studio/shared.',
    },
    { group: ['../../**'], message: 'The page knows the studio alone.' },
  ];
  const shared = [{ regex: String.raw`^(\.\./|node:)`, message: 'What page and server share stands on nothing.' }];
  return [...rules, ruleFor(['src/studio/web/**'], page), ruleFor(['src/studio/shared/**'], shared)];
}

function isList(may: Zone['may']): may is readonly string[] {
  return Array.isArray(may);
}

function ruleFor(files: readonly string[], patterns: readonly object[], more: object = {}): object {
  return { files, rules: { 'no-restricted-imports': ['error', { patterns }], ...more } };
}

function pathsOf(name: string): string[] {
  return isRoom(name) ? [`**/${name}/**`] : (zones[name]?.files ?? [name]).map((file) => `**/${file}.js`);
}

/** Refuses paths into rooms other than through `index.js`; base has a second door, for what loads zod. */
function enterByDoors(rooms: readonly string[]): object[] {
  const message = 'Enter a room through its index.js.';
  const plain = rooms.filter((room) => room !== 'base');
  const into = (room: string, ...doors: string[]): object => ({
    regex: String.raw`\./${room}/(?:${anythingBut(doors)})`,
    message,
  });
  return [
    into(`(?:${plain.join('|')})`, 'index.'),
    ...(rooms.includes('base') ? [into('base', 'index.', 'schemas.')] : []),
  ];
}

/** Matches the beginning of anything that does not begin with one of the words; these patterns have no look-ahead. */
function anythingBut(words: readonly string[]): string {
  const astray = words.flatMap((word) =>
    [...word].slice(1).map((letter, at) => `${word.slice(0, at + 1)}[^${letter}]`),
  );
  return [`[^${words.map((word) => word[0]).join('')}]`, ...astray].join('|');
}
