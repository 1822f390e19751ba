import { clockOf } from '../analyse/index.js';
import type { Run } from '../run.js';
import { applySequence, applyWishes, NO_WISHES, type Placed, type VideoWishes, type Wishes } from '../wishes/index.js';
import type { OutlinedVideo } from './analyse-videos.js';
import { note } from './note.js';

/** The wishes of a run, each with the video it is about. */
export type RunWishes = Wishes<Placed>;

/** A run without wishes. */
export const NO_RUN_WISHES: RunWishes = { pin: [], veto: [], sequence: [], topicSequence: [] };

/** The wishes about these videos. */
export function wishesAbout(videos: readonly { readonly name: string }[], wishes: RunWishes): RunWishes {
  const here = new Set(videos.map(({ name }) => name));
  const about = (placed: RunWishes['pin']): RunWishes['pin'] => placed.filter(({ video }) => here.has(video));
  const { pin, veto, sequence, topicSequence } = wishes;
  return { pin: about(pin), veto: about(veto), sequence: about(sequence), topicSequence: about(topicSequence) };
}

/** Notes the wishes about videos that had to be left out. */
export function tellLostWishes(videos: readonly { readonly name: string }[], { pin, veto }: RunWishes, run: Run): void {
  const here = new Set(videos.map(({ name }) => name));
  for (const { wish, video } of [...pin, ...veto].filter((placed) => !here.has(placed.video))) {
    note(run, 'wish-without-video', `"${video}" was left out, so the wish "${wish.written}" has no effect.`);
  }
}

/** What the wishes of a run mean for one video. */
export async function wishesOf(
  { name, analysis }: Pick<OutlinedVideo, 'name' | 'analysis'>,
  { pin, veto, sequence, topicSequence }: RunWishes,
): Promise<VideoWishes> {
  const own = (placed: RunWishes['pin']) => placed.flatMap(({ wish, video }) => (video === name ? [wish] : []));
  const wishes = { pin: own(pin), veto: own(veto) };
  const itself = { name, shots: analysis.shots };
  const topic = new Map(topicSequence.flatMap(({ wish, video }, place) => (video === name ? [[wish, place]] : [])));
  const order = applySequence({ sequence: own(sequence), topic }, itself);
  if (wishes.pin.length + wishes.veto.length === 0) return { ...NO_WISHES, ...order };
  return { ...applyWishes(wishes, itself, await clockOf(analysis)), ...order };
}
