import { knobsOf, methods, type MethodChoice } from './methods.js';

/**
 * How a method ranks shots pooled from the summaries of a topic (concept visualisation): the pool is one video without
 * others. cvs and its ablations are solved with α = β = 0 and no D̃, as the paper says. Methods that know only what videos
 * share cannot rank such a pool: for them it is `null`, and the shots keep their scores (as in Chu et al. 2015).
 */
export function pooledChoice(choice: MethodChoice): MethodChoice | null {
  const { method } = choice;
  if (methods[method].others === 'shots') return null;
  if (!method.startsWith('cvs')) return choice;
  return { ...choice, method: 'cvs-neighborhood', knobs: { ...knobsOf(choice), contextWeight: 0, consensus: 0 } };
}
