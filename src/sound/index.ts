/**
 * sound: one pass over the sound track that a player plays, decoded once: where somebody speaks, how loud it is, and where
 * sounds begin. Every moment counts from the first picture. This room knows no shots.
 */
export { hear, type Heard, type SoundTrack } from './hear.js';
export { alignTracks, type AlignedTrack } from './align.js';
