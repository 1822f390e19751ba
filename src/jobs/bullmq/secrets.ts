/** Texts that must never be shown: the password of a Redis URL, as written and as meant, and the keys of S3. */
export function secretsOf(redisUrl: string, env: NodeJS.ProcessEnv = process.env): readonly string[] {
  const written = passwordOf(redisUrl);
  const meant = decode(written);
  const found = [written, meant, encodeURIComponent(meant), env['AWS_SECRET_ACCESS_KEY'], env['AWS_SESSION_TOKEN']];
  const plain = found.filter((text): text is string => text !== undefined && text !== '');
  // In a line of JSON quotes and backslashes look different.
  return [...new Set(plain.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]))];
}

/** A text with every secret in it replaced. */
export function hide(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}

/** A Redis URL for people: where it leads, without the password. */
export function showRedis(url: string): string {
  return url.replace(/^([a-z]+:\/\/)([^@/]*)@/i, (_, scheme: string, who: string) => {
    const user = who.split(':')[0] ?? '';
    return who.includes(':') ? `${scheme}${user}:***@` : `${scheme}***@`;
  });
}

// A URL that cannot be parsed may hold a password all the same; it stands before the last @ of the authority.
function passwordOf(url: string): string {
  const who = /^[a-z]+:\/\/([^/]*)@/i.exec(url)?.[1] ?? '';
  const colon = who.indexOf(':');
  return colon < 0 ? '' : who.slice(colon + 1);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
