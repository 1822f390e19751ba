import { resolve } from 'node:path';

/** Real videos by topic, not part of the repository. */
export const footage =
  process.env['THROUGHLINE_REAL_VIDEOS'] ?? resolve(import.meta.dirname, '../../../shared/data/videos');
