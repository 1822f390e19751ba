import { stat } from 'node:fs/promises';

import { EMBEDDED_MODEL } from '../embedded.js';
import { ADDABLE, ADDABLE_NAMES } from './addable.js';
import { listStored } from './folder.js';

/** A network: included in Throughline, in the models folder, or available to be fetched. */
export type ListedModel = {
  readonly name: string;
  readonly state: 'embedded' | 'stored' | 'addable';
  readonly dim: number | null;
  /** Of the file; of the archive to be fetched if it is addable. */
  readonly bytes: number;
  readonly sha256: string | null;
  readonly licence: string;
  /** Why a stored network cannot be used. */
  readonly problem: string | null;
};

/** Every network by name: the embedded one, the stored ones, and those that can be added. */
export async function listModels(): Promise<ListedModel[]> {
  const { name, file, sha256, dim, licence } = EMBEDDED_MODEL;
  const embedded: ListedModel = {
    ...{ name, state: 'embedded', dim, sha256, licence, problem: null },
    bytes: (await stat(file)).size,
  };
  const stored = (await listStored()).map(({ name, bytes, record, problem }): ListedModel => ({
    ...{ name, state: 'stored', bytes, problem },
    dim: record?.dim ?? null,
    sha256: record?.sha256 ?? null,
    licence: record?.licence ?? 'not recorded',
  }));
  const addable = ADDABLE_NAMES.filter((each) => stored.every((known) => known.name !== each)).map(
    (each): ListedModel => {
      const { dim, fetchBytes, sha256, licence } = ADDABLE[each];
      return { name: each, state: 'addable', dim, bytes: fetchBytes, sha256, licence, problem: null };
    },
  );
  return [embedded, ...stored, ...addable];
}
