import { appendFileSync } from 'node:fs';

/** Something that was done, or refused. Never has tokens, signatures, queries or bodies. */
type Entry = {
  readonly action: string;
  readonly tenant?: string | undefined;
  readonly topic?: string | undefined;
  readonly code?: string | undefined;
  readonly status?: number;
  readonly from?: string | undefined;
  readonly count?: number;
};

const MAX_CHARS = 300;
const REFUSALS_MS = 1_000;

/** Appends to a file of JSON lines, before the answer is sent. Opened anew for each line, so that the file may be moved. */
export function openAudit(path: string) {
  const write = (entry: Entry): void => {
    const shown = { time: new Date().toISOString(), ...entry, action: entry.action.slice(0, MAX_CHARS) };
    appendFileSync(path, `${JSON.stringify(shown)}\n`, { mode: 0o600 });
  };
  let [refusals, lastMs] = [0, -Infinity];
  return {
    write,
    /** Requests without a valid token: at most a line a second, so that they do not fill the disk. */
    refused(from: string | undefined): void {
      refusals++;
      if (performance.now() - lastMs < REFUSALS_MS) return;
      write({ action: 'refused', from, count: refusals });
      [refusals, lastMs] = [0, performance.now()];
    },
  };
}
