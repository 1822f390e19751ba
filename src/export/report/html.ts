/** Markup that is safe to write. Only `markup` and `raw` make it. */
export type Html = { readonly html: string };

type Part = string | number | Html | null | readonly Html[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Line breaks become spaces; control characters, bidirectional overrides and what XML forbids become U+FFFD. */
function legible(text: string): string {
  return text
    .replace(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' ')
    .replace(/[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu, '\uFFFD');
}

/** Escapes a text for use between tags or inside a quoted attribute. */
function escapeText(text: string): string {
  return legible(text).replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? character);
}

/** Markup from a template: every value is escaped unless it is markup itself; `null` writes nothing. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = strings[0] ?? '';
  for (const [at, part] of parts.entries()) text += render(part) + (strings[at + 1] ?? '');
  return { html: text };
}

function render(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'string') return escapeText(part);
  if (typeof part === 'number') return String(part);
  return 'html' in part ? part.html : part.map((each) => each.html).join('');
}

/** Markup written by this program itself (scripts, styles, path data), never text from outside. */
export function raw(text: string): Html {
  return { html: text };
}

/** A relative path as a URL: each step is encoded, so that no name can become a scheme, a query or a fragment. */
export function relativeUrl(path: string): string {
  const steps = path.replaceAll('\\', '/').split('/');
  const encoded = steps.map((step) => encodeURIComponent(step.replace(/\p{Cs}/gu, '\uFFFD')));
  return `./${encoded.filter((step) => step !== '').join('/')}`;
}
