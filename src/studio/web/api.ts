import type { Clip, ParametersOf, ReceivedFrom, routes, SentTo } from '../contract.js';
import type { News } from '../news.js';

type Routes = typeof routes;
type Address = { readonly [K in keyof Routes]: readonly [Routes[K]['method'], Routes[K]['path']] };

/** Where each route is; the types hold this table against the server's. */
const ADDRESSES: Address = {
  readTopic: ['get', '/api/topic'],
  preview: ['post', '/api/preview'],
  edit: ['post', '/api/edits'],
  why: ['get', '/api/videos/:video/shots/:shot/why'],
  track: ['get', '/api/videos/:video/track'],
  requestProxy: ['post', '/api/clips/:clip/proxy'],
  map: ['get', '/api/map'],
  compare: ['post', '/api/compare'],
  render: ['post', '/api/render'],
  cancel: ['delete', '/api/work'],
  readReview: ['get', '/api/review'],
  comment: ['post', '/api/comments'],
  settleComment: ['post', '/api/comments/:comment'],
  deleteComment: ['delete', '/api/comments/:comment'],
  folders: ['get', '/api/folders'],
  openFolder: ['post', '/api/open'],
  beginTopic: ['post', '/api/topics'],
  upload: ['put', '/api/uploads/:name'],
  include: ['post', '/api/include'],
  look: ['post', '/api/look'],
  cutList: ['post', '/api/cut-list'],
  listResults: ['get', '/api/results'],
  readStudies: ['get', '/api/studies'],
  openStudy: ['post', '/api/studies'],
  joinStudy: ['post', '/api/studies/:study/raters'],
  readBallot: ['get', '/api/studies/:study/raters/:rater'],
  mark: ['put', '/api/studies/:study/raters/:rater/marks'],
  finishRating: ['post', '/api/studies/:study/raters/:rater/finish'],
  endStudy: ['post', '/api/studies/:study/end'],
  readResults: ['get', '/api/studies/:study/results'],
};

/** What the server refused, in its own words. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly code = 'unknown',
  ) {
    super(message);
  }
}

/** The token comes behind the address, where no server sees it, and stays with the tab. */
const token = ((): string => {
  const given = /[#&]token=([^&]+)/.exec(location.hash)?.[1];
  if (given !== undefined) {
    sessionStorage.setItem('token', given);
    const rest = location.hash
      .slice(1)
      .replace(/(^|&)token=[^&]+/, '')
      .replace(/^&/, '');
    history.replaceState(null, '', location.pathname + location.search + (rest === '' ? '' : `#${rest}`));
  }
  return given ?? sessionStorage.getItem('token') ?? '';
})();
/** Without a token of its own the page can only look, by the cookie of another page. */
export const hasToken = token !== '';
// Pictures, media and events are asked for by the browser itself, which shows the part that may only look.
const look = token.split('.')[1];
if (look !== undefined) document.cookie = `studio-${location.port}=${look}; path=/; SameSite=Strict`;

type Extras<K extends keyof Routes> = {
  readonly parameters?: ParametersOf<Routes[K]['path']>;
  readonly body?: SentTo<Routes[K]>;
  readonly signal?: AbortSignal;
};

/** Asks the server. */
export async function ask<K extends keyof Routes>(name: K, extras: Extras<K> = {}): Promise<ReceivedFrom<Routes[K]>> {
  const [method, path] = ADDRESSES[name];
  const parameters = (extras.parameters ?? {}) as Readonly<Record<string, string>>;
  const address = path.replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent(parameters[key] ?? ''));
  const response = await fetch(address, {
    method: method.toUpperCase(),
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(extras.body === undefined ? {} : { body: JSON.stringify(extras.body) }),
    ...(extras.signal ? { signal: extras.signal } : {}),
  }).catch((error: unknown) => {
    if (extras.signal?.aborted) throw error;
    throw new Refusal('The studio is not responding. Is it still running?', 'offline');
  });
  const answer: unknown = await response.json();
  if (!response.ok) {
    const { message = `The studio answered with error ${response.status}.`, code } = answer as Partial<Refusal>;
    throw new Refusal(message, code);
  }
  return answer as ReceivedFrom<Routes[K]>;
}

export const pictureOf = (video: string, shot: number | 'first'): string =>
  `/pictures/${encodeURIComponent(video)}/${shot}`;
/**
 * Where a browser gets a video; `null` if the server has nothing that it plays. One whose header was not read yet may play.
 * The address changes when a proxy replaces the original, so that browsers ask again.
 */
export const mediaOf = (video: string, playback: Clip['playback'] = 'original'): string | null => {
  if (playback === 'making' || playback === 'none') return null;
  return `/media/${encodeURIComponent(video)}${playback === 'proxy' ? '?proxy' : ''}`;
};

/** Sends a file as it is, telling how far it is; never the whole of it is in memory. */
export function sendFile(file: File, signal: AbortSignal, onFraction: (fraction: number) => void): Promise<void> {
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest();
    request.open('PUT', ADDRESSES.upload[1].replace(':name', encodeURIComponent(file.name)));
    request.setRequestHeader('Authorization', `Bearer ${token}`);
    request.upload.onprogress = ({ loaded, total }) => onFraction(0.999 * (loaded / total));
    request.onload = () => {
      if (request.status === 200) return done();
      const { message } = JSON.parse(request.responseText || '{}') as { message?: string };
      fail(new Refusal(message ?? `The studio answered with error ${request.status}.`));
    };
    request.onerror = () => fail(new Refusal('The connection was lost while it was copied. Try again.'));
    request.onabort = () => fail(new Refusal('Cancelled; nothing was kept.'));
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

/** Subscribes to what the server pushes, and to whether it is there. */
export function listen(
  on: { readonly [K in keyof News]?: (data: News[K]) => void },
  onGone: (isGone: boolean) => void,
): void {
  const source = new EventSource('/api/events');
  for (const [kind, handle] of Object.entries(on)) {
    source.addEventListener(kind, (event) => handle(JSON.parse((event as MessageEvent<string>).data) as never));
  }
  source.addEventListener('open', () => onGone(false));
  source.addEventListener('error', () => onGone(true));
}
