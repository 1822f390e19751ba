/** An element, with text or other elements inside. Attributes that are `undefined` are left out. */
export type Xml = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
  readonly content: string | readonly (Xml | XmlComment)[];
};

type XmlComment = { readonly comment: string };

/** An element with attributes and other elements. */
export function element(name: string, attributes: Xml['attributes'] = {}, content: Xml['content'] = []): Xml {
  return { name, attributes, content };
}

/** An element that holds one value. */
export function leaf(name: string, value: string | number): Xml {
  return { name, attributes: {}, content: String(value) };
}

/** A whole file: declaration, document type where one is named, comments, the root. */
export function xmlFile(root: Xml, { doctype, comments }: { doctype?: string; comments: readonly string[] }): string {
  const head = ['<?xml version="1.0" encoding="UTF-8"?>', ...(doctype === undefined ? [] : [`<!DOCTYPE ${doctype}>`])];
  const notes = comments.map((comment) => render({ comment }, ''));
  return `${[...head, ...notes, render(root, '')].join('\n')}\n`;
}

function render(node: Xml | XmlComment, indent: string): string {
  // Two dashes would end a comment, and one at its end would touch the closing pair.
  if ('comment' in node) return `${indent}<!-- ${legal(node.comment).replace(/-(?=-|$)/g, '- ')} -->`;
  const { name, attributes, content } = node;
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined);
  const open = [name, ...given.map(([key, value]) => `${key}="${escape(String(value))}"`)].join(' ');
  if (typeof content === 'string') return `${indent}<${open}>${escape(content)}</${name}>`;
  if (content.length === 0) return `${indent}<${open}/>`;
  const inside = content.map((child) => render(child, `${indent}  `));
  return [`${indent}<${open}>`, ...inside, `${indent}</${name}>`].join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Line breaks and tabs are written as numbers, since readers turn plain ones in attributes into spaces. */
function escape(text: string): string {
  return legal(text).replace(/[&<>"\t\n\r]/g, (character) => ENTITIES[character] ?? `&#${character.charCodeAt(0)};`);
}

/** Characters that XML 1.0 has no place for, not even escaped, become U+FFFD. */
function legal(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu, '\uFFFD');
}

/** Any text as part of one line: line breaks and other control characters become spaces. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\u2028\u2029]+/gu, ' ').trim();
}
