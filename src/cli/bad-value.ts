import type { z } from 'zod';

import { UsageError } from '../base/index.js';
import { nearest } from './nearest.js';

const TYPES: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'text in quotes',
  boolean: 'true or false',
  array: 'a list',
};

/** The error for a wrong value of an option, with what was probably meant; `found` as it is to be shown. */
export function badValue(what: string, found: string, issue: z.core.$ZodIssue | undefined): UsageError {
  const say = (expected: string, hint = ''): UsageError =>
    new UsageError('bad-option', `Expected ${what} to be ${expected}, found ${found}.${hint}`);
  switch (issue?.code) {
    case 'invalid_value': {
      const meant = nearest(found.replaceAll('"', ''), issue.values.map(String));
      return say(`one of ${issue.values.join(', ')}`, meant === null ? '' : ` Did you mean ${meant}?`);
    }
    case 'invalid_type':
      return say(TYPES[issue.expected] ?? 'something else');
    case 'too_small':
      if (issue.origin === 'string') return say('some text');
      return say(`${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`);
    case 'too_big':
      return say(`${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`);
    default:
      return new UsageError(
        'bad-option',
        `${what}: ${issue?.message.replace(/^Expected/, 'expected') ?? 'not understood'}, found ${found}.`,
      );
  }
}
