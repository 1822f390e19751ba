import type { Clip } from './clips-contract.js';
import type { Comment } from './comments.js';
import type { Work } from './contract.js';
import type { Position } from './document-contract.js';

/** What is pushed to every open page, by kind of event: always the newest state, never a difference. */
export type News = {
  readonly work: Work;
  readonly document: Position;
  readonly clips: readonly Clip[];
  readonly comments: readonly Comment[];
};

/** Receives the current state of every kind once, and then each new one. */
export type NewsListener = <K extends keyof News>(kind: K, data: News[K]) => void;

export type NewsFeed = {
  emit<K extends keyof News>(kind: K, data: News[K]): void;
  /** Returns a function that ends the subscription. */
  subscribe(listener: NewsListener): () => void;
};

export function openNews(): NewsFeed {
  const latest: Partial<News> = {};
  const listeners = new Set<NewsListener>();
  return {
    emit(kind, data) {
      latest[kind] = data;
      for (const listener of listeners) listener(kind, data);
    },
    subscribe(listener) {
      listeners.add(listener);
      for (const [kind, data] of Object.entries(latest)) listener(kind as 'work', data as Work);
      return () => listeners.delete(listener);
    },
  };
}
