import { describe, expect, it } from 'vitest';

import { checkOptions } from './index.js';

describe('the defaults of a method', () => {
  const wanted = ({ normalise, sparsity, contextWeight, shared, diversity }: ReturnType<typeof checkOptions>) => ({
    ...{ normalise, sparsity, contextWeight, shared, diversity },
  });

  it('are those of the paper for cvs-paper, unless others are given', () => {
    const paper = { normalise: 'length', sparsity: 0.02, contextWeight: 0.5, shared: 0.5, diversity: 0.01 };
    expect(wanted(checkOptions({ method: 'cvs-paper' }))).toEqual(paper);
    expect(wanted(checkOptions({ method: 'cvs-paper', normalise: undefined }))).toEqual(paper);
    const given = { normalise: 'root', sparsity: 0.1, shared: 0.8 } as const;
    expect(wanted(checkOptions({ method: 'cvs-paper', ...given }))).toEqual({ ...paper, ...given });
  });

  it('are those declared for every other method', () => {
    for (const method of ['cvs', 'kmeans', 'cvs-diversity'] as const)
      expect(checkOptions({ method })).toEqual({ ...checkOptions({}), method });
  });

  it('do not hide a method that does not exist', () => {
    for (const method of ['cvs-papers', 'toString'])
      expect(() => checkOptions({ method: method as 'cvs' })).toThrow(/option method to be one of .*cvs-paper/);
  });
});
