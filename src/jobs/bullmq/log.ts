import { hide } from './secrets.js';

type Level = 'info' | 'warn' | 'error';

/** One thing that happened: `event` is for programs, `message` for people. */
type Entry = {
  readonly event: string;
  readonly message: string;
  readonly topic?: string | undefined;
  readonly task?: string | undefined;
  readonly seconds?: number;
  /** Process id of the task. */
  readonly pid?: number | undefined;
};

/** Writes one entry to the log of a worker. */
export type Log = (level: Level, entry: Entry) => void;

/** A log with one JSON object per line for programs, or one plain line for people. Secrets are replaced by `***`. */
export function openLog(
  out: { write(text: string): unknown },
  { worker, asJson, secrets }: { worker: string; asJson: boolean; secrets: readonly string[] },
): Log {
  return (level, { event, message, ...about }) => {
    const time = new Date().toISOString();
    const line = asJson
      ? JSON.stringify({ time, level, event, message, ...about, worker })
      : `${time.slice(11, 19)} ${level === 'info' ? '' : `${level}: `}${message.replace(/\p{C}/gu, '?')}`;
    out.write(`${hide(line, secrets)}\n`);
  };
}
