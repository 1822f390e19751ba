import { isAbsolute, relative, resolve, sep } from 'node:path';

/** Turns the path of a source in the summary into a URL. */
export type Locate = (path: string) => string;

/** File URLs of sources in `folder`. */
export function fileUrls(folder: string): Locate {
  return (path) => {
    const steps = resolve(folder, path).split(sep);
    // A drive letter's colon is the one character of a path that must stay as it is.
    const encoded = steps.map((step, at) => (at === 0 && /^[A-Za-z]:$/.test(step) ? `/${step}` : encodeStep(step)));
    return `file://${encoded.join('/')}`;
  };
}

/**
 * File URLs of sources in a folder of another machine, whose paths may be written another way (`D:\\footage`, `/Volumes/x`). A
 * video outside of the topic's folder is expected in the folder itself.
 */
export function rootUrls(root: string): Locate {
  const [, host, drive, rest = ''] = /^(?:\/\/([^/]+)|([A-Za-z]:))?(.*)$/s.exec(root.replaceAll('\\', '/')) ?? [];
  const start = `file://${host === undefined ? '' : encodeStep(host)}${drive === undefined ? '' : `/${drive}`}`;
  const stepsOf = (path: string): string[] => path.split(/[\\/]/).filter((step) => step !== '' && step !== '.');
  return (path) => {
    const own = stepsOf(path);
    const isInside = !/^([\\/]|[A-Za-z]:[\\/])/.test(path) && !own.includes('..');
    return [start, ...[...stepsOf(rest), ...(isInside ? own : own.slice(-1))].map(encodeStep)].join('/');
  };
}

/** URLs of sources in `folder`, relative to the folder `from`; absolute if there is no relative path (another drive). */
export function relativeUrls(folder: string, from: string): Locate {
  return (path) => {
    const way = relative(from, resolve(folder, path));
    return isAbsolute(way) ? fileUrls(folder)(path) : stepsToUrl(way.split(sep));
  };
}

/** The relative URL of a path from a summary. */
export const sameFolder: Locate = (path) => stepsToUrl(path.split(sep));

function stepsToUrl(steps: readonly string[]): string {
  const url = steps.map(encodeStep).join('/');
  // "a:b.mp4" would read as a scheme, but colons are encoded; a leading dash would read as an option.
  return url.startsWith('-') ? `./${url}` : url;
}

/** Like encodeURIComponent, with quotes encoded too, and lone surrogates, which it refuses, replaced. */
function encodeStep(step: string): string {
  return encodeURIComponent(step.replace(/\p{Cs}/gu, '\uFFFD')).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The path of a URL or a path, with forward slashes; text that is not encoded properly is not decoded. */
export function pathOfUrl(url: string): string {
  // A file URL may name this machine or another, and has a slash before the letter of a drive.
  const path = url
    .replace(/^file:\/\/(?:localhost)?(?=\/)/i, '')
    .replace(/^file:(?=\/\/)/i, '')
    .replace(/^\/(?=[A-Za-z]:\/)/, '')
    .replace(/^\.\//, '');
  try {
    return decodeURIComponent(path).replaceAll('\\', '/');
  } catch {
    return path.replaceAll('\\', '/');
  }
}
