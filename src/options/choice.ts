import { z } from 'zod';

import { cvsDefaults, METHOD_NAMES, methods } from '../select/index.js';

/** How shots are chosen, what the videos of a topic are to each other, and the means a run has. */
export const choiceOptions = {
  method: z
    .enum(METHOD_NAMES)
    .default('cvs')
    .meta({
      description: `How shots are chosen: ${METHOD_NAMES.map((name) => `${name} (${methods[name].summary})`).join(', ')}.`,
      placeholder: 'NAME',
      affectsResult: true,
    }),
  seed: z.int().min(0).max(0xffffffff).default(1).meta({
    description: 'Seed of the methods that draw random numbers. The same seed gives the same summary.',
    placeholder: 'NUMBER',
    affectsResult: true,
  }),
  relate: z.boolean().default(true).meta({
    description:
      'Compare the videos with each other: those that show the same count once, those that do not belong count a quarter.',
    affectsResult: true,
  }),
  dropStrays: z.boolean().default(false).meta({
    description: 'Leave out videos that do not belong to the topic, instead of letting them count a quarter.',
    affectsResult: true,
  }),
  neighbors: z.enum(['equal', 'similar']).default('equal').meta({
    description:
      'How much the other videos count for one of them: equal (each the same) or similar (nearer ones more).',
    placeholder: 'equal|similar',
    affectsResult: true,
  }),
  autoTopics: z.boolean().default(false).meta({
    description: 'Divide the videos into topics by what they show, and summarise each topic in a folder of its own.',
    affectsResult: true,
  }),
  groups: z.int().min(1).max(10_000).optional().meta({
    description: 'How many topics to divide the videos into. Default: as many as can be told apart.',
    placeholder: 'COUNT',
    affectsResult: true,
  }),
  contextWeight: z.number().min(0).max(10).default(cvsDefaults.contextWeight).meta({
    description: 'How much the other videos count (α of the paper); 0 looks at the video alone.',
    placeholder: 'NUMBER',
    affectsResult: true,
  }),
  shared: z.number().min(0).max(1).default(cvsDefaults.shared).meta({
    description:
      'What a summary looks for, by cvs: 0 what only this video has, 1 what the topic shares, 0.5 both as in the paper.',
    placeholder: 'NUMBER',
    affectsResult: true,
  }),
  diversity: z.number().min(0).max(1).default(cvsDefaults.diversity).meta({
    description: 'How much similar shots exclude each other (λd of the paper).',
    placeholder: 'NUMBER',
    affectsResult: true,
  }),
  sparsity: z.number().gt(0).lt(1).optional().meta({
    description:
      'How few shots carry importance, from 0 (all) to 1 (none): λs as a share of the value at which nothing is chosen (1/γ of the paper). Default: 0.5; 0.3 for a video judged alone.',
    placeholder: 'NUMBER',
    affectsResult: true,
  }),
  jobs: z.int().min(1).max(256).optional().meta({
    description:
      'Videos worked on at the same time. Default: the number of processor cores, at most 4. Results do not depend on it.',
    placeholder: 'COUNT',
    affectsResult: false,
  }),
  cache: z.string().min(1).optional().meta({
    description: 'Folder of the cache. Default: the user’s cache folder, or $THROUGHLINE_CACHE.',
    placeholder: 'FOLDER',
    affectsResult: false,
  }),
} as const;
