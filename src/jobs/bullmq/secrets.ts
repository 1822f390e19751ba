/** Texts that must never be shown: the passwords in a Redis URL, encoded and decoded, and the keys of S3. */
export function secretsOf(redisUrl: string, env: NodeJS.ProcessEnv = process.env): readonly string[] {
  const meant = passwordsIn(redisUrl).flatMap((written) => [written, decode(written)]);
  const found = [
    ...meant.flatMap((text) => [text, encodeURIComponent(text)]),
    ...[env['AWS_SECRET_ACCESS_KEY'], env['AWS_SESSION_TOKEN']],
  ];
  const plain = found.filter((text): text is string => text !== undefined && text !== '');
  // In JSON, quotes and backslashes are escaped. The longest comes first: a shorter one may be part of it.
  const written = [...new Set(plain.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]))];
  return written.sort((a, b) => b.length - a.length);
}

/** The text with every secret replaced by `***`. */
export function hide(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}

/** A Redis URL for people, without password and options. */
export function showRedis(url: string): string {
  const { scheme, who, where } = partsOf(url);
  // Options may contain a password with an @; then it is unclear where the host begins.
  if (who === null) return `${scheme}${where.replace(/[?#].*$/s, '')}`;
  if (/[?#]/.test(who)) return `${scheme}***`;
  const user = who.includes(':') ? `${who.split(':')[0]}:` : '';
  return `${scheme}${user}***@${where.replace(/[?#].*$/s, '')}`;
}

/** Splits a URL, even a malformed one; everything before the last @ may be part of a password. */
function partsOf(url: string): { readonly scheme: string; readonly who: string | null; readonly where: string } {
  const [, scheme = '', rest = ''] = /^([a-z]+:\/\/)?(.*)$/is.exec(url.trim())!;
  const at = rest.lastIndexOf('@');
  return { scheme, who: at < 0 ? null : rest.slice(0, at), where: rest.slice(at + 1) };
}

function passwordsIn(url: string): string[] {
  const who = partsOf(url).who ?? '';
  const colon = who.indexOf(':');
  const options = [...url.matchAll(/[?&][^=&]*pass[^=&]*=([^&#]*)/gi)].map(([, value = '']) => value.trim());
  return [...(colon < 0 ? [] : [who.slice(colon + 1)]), ...options];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
