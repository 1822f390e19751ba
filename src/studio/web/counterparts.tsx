import type { ComponentChildren } from 'preact';

import type { Why } from '../contract.js';
import { pictureOf } from './api.js';
import { place, videos } from './state.js';

/** Shots of other videos that show the same, each a button that goes there. */
export function Counterparts({ places }: { readonly places: Why['counterparts'] }) {
  if (places.length === 0) return null;
  return (
    <>
      <h3>Also seen in</h3>
      <ul class="support">
        {places.map(({ video, shot }) => (
          <Peer key={video} video={video} shot={shot} />
        ))}
      </ul>
    </>
  );
}

/** A shot of another video: a button that goes there. */
export function Peer(props: { readonly video: string; readonly shot: number; readonly children?: ComponentChildren }) {
  const { video, shot, children } = props;
  return (
    <li>
      <button onClick={() => (place.value = { video, shot })}>
        <img src={pictureOf(video, shot)} alt="" width={96} height={54} />
        <span class="name" title={nameOf(video)}>
          {nameOf(video)}
        </span>
        {children}
      </button>
    </li>
  );
}

/** The name of a video. */
export function nameOf(id: string): string {
  return videos.value.find((video) => video.id === id)?.name ?? id;
}
