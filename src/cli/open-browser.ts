import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Opens an address in the browser. Every user of a machine can read the arguments of all programs, and the address holds a
 * secret; so the browser gets a page in a folder that only this user may enter, which leads there. Gives the function that
 * removes the page. Without a browser nothing happens: the address was printed.
 */
export function openBrowser(address: string): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-studio-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const page = join(folder, 'open.html');
  writeFileSync(page, leadTo(address), { mode: 0o600 });
  const [command, ...args] = {
    darwin: ['open', page],
    win32: ['rundll32', 'url.dll,FileProtocolHandler', page],
  }[process.platform as 'darwin' | 'win32'] ?? ['xdg-open', page];
  spawn(command!, args, { detached: true, stdio: 'ignore' })
    .on('error', () => undefined)
    .unref();
  return remove;
}

/** The address is our own: it has no characters that mean something in HTML. */
function leadTo(address: string): string {
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>Throughline</title>
<a href="${address}">Open the studio</a>
`;
}
