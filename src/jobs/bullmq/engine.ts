import { keyOf } from '../../store/index.js';
import { engineHere, type Engine } from '../engine.js';

/** The engine of this machine: `words` for people, and a short `key` for the names of queues. */
export async function thisEngine(): Promise<{ readonly words: string; readonly key: string }> {
  const engine = await engineHere();
  return { words: describeEngine(engine), key: keyOf(engine).slice(0, 8) };
}

function describeEngine({ throughline, decoder, ...parts }: Engine): string {
  // The version line of ffmpeg ends with a copyright notice.
  const shown = { decoder: decoder.replace(/ Copyright.*$/, '').replace(/ version /, ' '), ...parts };
  const rest = Object.entries(shown).map(([name, value]) => `${name} ${value}`);
  return `throughline ${throughline} (${rest.join(', ')})`;
}
