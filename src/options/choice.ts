import { z } from 'zod';

import { cvsDefaults, METHOD_NAMES, methods } from '../select/index.js';

/** How shots are chosen, how the videos of a topic relate, and the resources of a run. */
export const choiceOptions = {
  method: z
    .enum(METHOD_NAMES)
    .default('cvs')
    .meta({
      description: `How shots are chosen: ${METHOD_NAMES.map((name) => `${name} (${methods[name].summary})`).join(', ')}.`,
      placeholder: 'NAME',
      group: 'method',
    }),
  seed: z.int().min(0).max(0xffffffff).default(1).meta({
    description: 'Seed for methods that use random numbers. The same seed gives the same summary.',
    placeholder: 'NUMBER',
    group: 'method',
  }),
  relate: z.boolean().default(true).meta({
    description:
      'Compare the videos with each other. Copies count once together; videos that do not seem to belong are named.',
    off: 'Every video counts once; strays and doubles are not looked for.',
    group: 'method',
  }),
  dropStrays: z.boolean().default(false).meta({
    description: 'Leave out videos that do not seem to belong to the topic, instead of only naming them.',
    group: 'method',
  }),
  allowBad: z.boolean().default(false).meta({
    description:
      'Choose shots with bad pictures (black, flat, out of focus, shaken and the like) like others. By default only if pinned, or if no other shot is left.',
    group: 'method',
  }),
  neighbors: z.enum(['equal', 'similar']).default('equal').meta({
    description:
      'How much the other videos count when one is summarised: equal (all the same) or similar (more similar videos count more).',
    placeholder: 'equal|similar',
    group: 'method',
  }),
  autoTopics: z.boolean().default(false).meta({
    description: 'Sort the videos into topics by what they show, and summarise each topic in its own folder.',
    group: 'output',
  }),
  groups: z.int().min(1).max(10_000).optional().meta({
    description: 'Number of topics to sort the videos into. Default: as many as can be told apart.',
    placeholder: 'COUNT',
    group: 'output',
  }),
  contextWeight: z.number().min(0).max(10).default(cvsDefaults.contextWeight).meta({
    description: 'How much the other videos count (α in the paper); 0 looks at each video alone.',
    placeholder: 'NUMBER',
    group: 'method',
  }),
  shared: z.number().min(0).max(1).default(cvsDefaults.shared).meta({
    description:
      'What cvs looks for: 0 is what only this video shows, 1 is what the topic shares, 0.5 is both, as in the paper.',
    placeholder: 'NUMBER',
    group: 'method',
  }),
  diversity: z.number().min(0).max(1).default(cvsDefaults.diversity).meta({
    description: 'How strongly similar shots exclude each other (λd in the paper).',
    placeholder: 'NUMBER',
    group: 'method',
  }),
  evidence: z.number().min(0).max(5).optional().meta({
    description:
      'How much the evidence for a shot counts: its price in the problem is exp(−evidence × deviations). 0 is the paper’s problem. Default: 1; 0 with --method cvs-paper.',
    placeholder: 'NUMBER',
    group: 'method',
  }),
  sparsity: z.number().gt(0).lt(1).optional().meta({
    description:
      'How strongly importance concentrates on few shots, from 0 to 1: λs as a share of the value at which nothing is chosen (1/γ in the paper). Default: 0.5; 0.3 for a video alone; with --method cvs-paper 0.02 of the paper’s λ0.',
    placeholder: 'NUMBER',
    group: 'method',
  }),
  jobs: z.int().min(1).max(256).optional().meta({
    description:
      'Number of videos processed at the same time; the results stay the same. Default: the number of processor cores, at most 4.',
    placeholder: 'COUNT',
    group: 'output',
    affectsResult: false,
  }),
  cache: z.string().min(1).optional().meta({
    description: 'Cache folder. Default: $THROUGHLINE_CACHE if set, otherwise the user’s cache folder.',
    placeholder: 'FOLDER',
    group: 'output',
    affectsResult: false,
  }),
  verify: z.boolean().default(false).meta({
    description:
      'Read every file again, also those that have not changed since an earlier run by device, inode, size and times.',
    group: 'output',
    affectsResult: false,
  }),
} as const;
