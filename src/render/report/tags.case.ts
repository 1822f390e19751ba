import { expect } from 'vitest';

/** A tag of a page as written. */
export type Tag = { name: string; closing: boolean; attributes: Map<string, string> };

/** The tags of a page, its style and script left out; text between them must not hold a bare "<". */
export function tagsOf(text: string): Tag[] {
  const bare = text.replace(/(<(style|script)>)[\s\S]*?(<\/\2>)/g, '$1$3');
  expect(bare.replace(/<[^<>]*>/g, '')).not.toMatch(/[<>]/);
  return [...bare.matchAll(/<(\/?)([a-zA-Z0-9!]+)((?:[^<>"]|"[^"]*")*)>/g)].map(([, slash, name, rest]) => ({
    name: (name ?? '').toLowerCase(),
    closing: slash === '/',
    attributes: new Map(
      [...(rest ?? '').matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, key, value]) => [key ?? '', value ?? '']),
    ),
  }));
}

/** Every value of one attribute. */
export const attributesNamed = (tags: Tag[], name: string): string[] =>
  tags.flatMap((tag) => tag.attributes.get(name) ?? []);
