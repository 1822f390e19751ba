/** An element read back. */
export type Node = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Node[];
  readonly text: string;
};

const NAME = '[A-Za-z_][\\w.-]*';
const TOKEN = new RegExp(
  [
    '<\\?xml version="1\\.0" encoding="UTF-8"\\?>',
    `<!DOCTYPE ${NAME}>`,
    '<!--(?:(?!--)[^])*-->',
    `</(${NAME})>`,
    `<(${NAME})((?: ${NAME}="[^"<]*")*)(/?)>`,
    '([^<]+)',
  ].join('|'),
  'y',
);
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** A strict reader of the XML we write: throws for anything that is not well-formed. */
export function parseXml(source: string): Node {
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/u.test(source))
    throw new Error('A character XML has no place for.');
  type Open = { name: string; attributes: Record<string, string>; children: Node[]; text: string };
  const top: Open = { name: '', attributes: {}, children: [], text: '' };
  const stack: Open[] = [top];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(source);
    if (match === null) throw new Error(`Not well-formed at ${at}: ${source.slice(at, at + 40)}`);
    const [whole, close, open, attributes = '', empty, text] = match;
    if (whole.startsWith('<?xml') && at !== 0) throw new Error('A declaration inside.');
    const inner = stack.at(-1)!;
    if (close !== undefined) {
      if (inner.name !== close) throw new Error(`</${close}> closes <${inner.name}>.`);
      stack.pop();
    } else if (open !== undefined) {
      const element: Open = { name: open, attributes: attributesOf(attributes), children: [], text: '' };
      inner.children.push(element);
      if (empty === '') stack.push(element);
    } else if (text !== undefined) inner.text += decode(text);
  }
  if (stack.length !== 1 || top.children.length !== 1 || top.text.trim() !== '') throw new Error('Expected one root.');
  return top.children[0]!;
}

function attributesOf(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(/ ([\w.-]+)="([^"]*)"/g)) {
    if (name in found) throw new Error(`${name} twice.`);
    // Line breaks and tabs that are not escaped are spaces to a reader.
    found[name] = decode(value.replace(/[\t\n\r]/g, ' '));
  }
  return found;
}

function decode(text: string): string {
  return text.replace(/&([^;]*);|&/g, (whole, name?: string) => {
    const code = /^#(\d+)$/.exec(name ?? '')?.[1];
    const character = code ? String.fromCodePoint(Number(code)) : ENTITIES[name ?? ''];
    if (character === undefined) throw new Error(`Unknown entity ${whole}.`);
    return character;
  });
}

/** Elements of a name, wherever they are. */
export function all(node: Node, name: string): Node[] {
  return node.children.flatMap((child) => [...(child.name === name ? [child] : []), ...all(child, name)]);
}

/** The element at a path of names; throws when there is none. */
export function at(node: Node, ...path: readonly string[]): Node {
  return path.reduce((inner, name) => {
    const child = inner.children.find((candidate) => candidate.name === name);
    if (child === undefined) throw new Error(`No <${name}> in <${inner.name}>.`);
    return child;
  }, node);
}
