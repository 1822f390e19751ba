import { all, type Node } from './xml.case.js';

/**
 * What the published DTD of FCPXML 1.10 says about the elements we write: children in order, attributes that may be
 * and must be there. Elements of the DTD that we never write are left out of the content models.
 */
type Rule = {
  readonly content: string;
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly choices?: Readonly<Record<string, readonly string[]>>;
};

const rule = (content: string, required: string, optional: string, choices: Rule['choices'] = {}): Rule => ({
  content,
  required: required.split(' ').filter(Boolean),
  optional: optional.split(' ').filter(Boolean),
  choices,
});

const TC_FORMAT = ['DF', 'NDF'];

const RULES: Readonly<Record<string, Rule>> = {
  fcpxml: rule('(resources?, library)', 'version', '', { version: ['1.10'] }),
  resources: rule('(asset | format)*', '', ''),
  format: rule('EMPTY', 'id', 'name frameDuration fieldOrder width height paspH paspV colorSpace projection'),
  asset: rule('(media-rep+, metadata?)', 'id', 'name uid start duration hasVideo format hasAudio videoSources audioSources audioChannels audioRate'), // prettier-ignore
  'media-rep': rule('EMPTY', 'src', 'kind sig suggestedFilename', { kind: ['original-media', 'proxy-media'] }),
  metadata: rule('(md*)', '', ''),
  md: rule('EMPTY', 'key', 'value editable type displayName description source'),
  library: rule('(event*)', '', 'location colorProcessing'),
  event: rule('(project*)', '', 'name uid'),
  project: rule('(sequence)', '', 'name uid id modDate'),
  sequence: rule('(note?, spine, metadata?)', 'format', 'duration tcStart tcFormat audioLayout audioRate renderFormat keywords', { tcFormat: TC_FORMAT, audioLayout: ['mono', 'stereo', 'surround'], audioRate: ['32k', '44.1k', '48k', '88.2k', '96k', '176.4k', '192k'] }), // prettier-ignore
  note: rule('(#PCDATA)', '', ''),
  spine: rule('(asset-clip*)', '', 'lane offset name format'),
  'asset-clip': rule('(note?, conform-rate?, marker*, audio-channel-source*, metadata?)', 'ref', 'lane offset name start duration enabled srcEnable audioStart audioDuration format tcStart tcFormat modDate audioRole videoRole', { tcFormat: TC_FORMAT, enabled: ['0', '1'] }), // prettier-ignore
  'conform-rate': rule('EMPTY', '', 'scaleEnabled srcFrameRate frameSampling', { scaleEnabled: ['0', '1'], srcFrameRate: ['23.98', '24', '25', '29.97', '30', '60', '47.95', '48', '50', '59.94'] }), // prettier-ignore
  marker: rule('EMPTY', 'start value', 'duration completed note'),
  'audio-channel-source': rule('EMPTY', 'srcCh', 'outCh role start duration enabled active'),
};

const IDS = new Set(['asset', 'format']);
const REFERENCES = new Set(['ref', 'format']);

/** Problems of a file by those rules; none for a good one. */
export function checkFcpxml(root: Node): string[] {
  const ids = new Set([...all(root, 'asset'), ...all(root, 'format')].map((node) => node.attributes['id'] ?? ''));
  const nodes = [root, ...Object.keys(RULES).flatMap((name) => all(root, name))];
  const known = new Set(Object.keys(RULES));
  const strangers = nodes.flatMap((node) => node.children).filter((child) => !known.has(child.name));
  return [...strangers.map((node) => `<${node.name}> is not known`), ...nodes.flatMap((node) => checkNode(node, ids))];
}

function checkNode(node: Node, ids: ReadonlySet<string>): string[] {
  const { content, required, optional, choices = {} } = RULES[node.name]!;
  const problems: string[] = [];
  if (!matcher(content).test(node.children.map((child) => `${child.name} `).join(''))) {
    problems.push(`<${node.name}> has ${node.children.map((child) => child.name).join(', ')}, not ${content}`);
  }
  if (content !== '(#PCDATA)' && node.text.trim() !== '') problems.push(`<${node.name}> has text`);
  for (const name of required) if (!(name in node.attributes)) problems.push(`<${node.name}> lacks ${name}`);
  for (const [name, value] of Object.entries(node.attributes)) {
    if (![...required, ...optional].includes(name)) problems.push(`<${node.name}> may not have ${name}`);
    if (choices[name] && !choices[name].includes(value)) problems.push(`${name} may not be ${value}`);
    const isTime = ['offset', 'start', 'duration', 'tcStart', 'frameDuration'].includes(name);
    if (isTime && !/^\d+(\/[1-9]\d*)?s$/.test(value)) problems.push(`${name} is no time: ${value}`);
    if (REFERENCES.has(name) && !(IDS.has(node.name) && name === 'id') && !ids.has(value))
      problems.push(`${name}: no ${value}`);
  }
  return problems;
}

/** A content model of a DTD as a regular expression over names, each followed by a space. */
function matcher(content: string): RegExp {
  if (content === 'EMPTY' || content === '(#PCDATA)') return /^$/;
  const pattern = content.replace(/[a-z][a-z-]*/g, (name) => `(?:${name} )`).replace(/,\s*/g, '').replace(/\s*\|\s*/g, '|'); // prettier-ignore
  return new RegExp(`^${pattern}$`);
}

/** The rules as a DTD, for a validator that is not ours. */
export function rulesAsDtd(): string {
  return Object.entries(RULES)
    .map(([name, { content, required, optional, choices = {} }]) => {
      const kind = (attribute: string): string =>
        choices[attribute] ? (choices[attribute].every((choice) => /^[\w.-]+$/.test(choice)) ? `(${choices[attribute].join(' | ')})` : 'CDATA')
        : attribute === 'id' && IDS.has(name) ? 'ID' : REFERENCES.has(attribute) ? 'IDREF' : 'CDATA'; // prettier-ignore
      const attributes = [...required.map((each) => `${each} ${kind(each)} #REQUIRED`), ...optional.map((each) => `${each} ${kind(each)} #IMPLIED`)]; // prettier-ignore
      return `<!ELEMENT ${name} ${content}>\n${attributes.map((each) => `<!ATTLIST ${name} ${each}>`).join('\n')}`;
    })
    .join('\n');
}
