import type { SSEStreamingApi } from 'hono/streaming';

const PULSE_MS = 15_000;

/** Called with the newest state of a kind; after the one that `isLast`, the stream ends. */
type Push = (kind: string, data: unknown, isLast?: boolean) => void;

/** Sends whatever changes. A client that reads slowly gets the newest state of each kind, not all that it missed. */
export async function pushNewest(stream: SSEStreamingApi, subscribe: (push: Push) => () => void): Promise<void> {
  const newest = new Map<string, unknown>();
  let isSending = false;
  let end = (): void => undefined;
  const ended = new Promise<void>((settle) => (end = settle));
  let isOver = false;
  const send = async (): Promise<void> => {
    if (isSending) return;
    isSending = true;
    while (newest.size > 0 && !stream.aborted) {
      const [event, data] = newest.entries().next().value!;
      newest.delete(event);
      await stream.writeSSE({ event, data: JSON.stringify(data) });
    }
    isSending = false;
    if (isOver) end();
  };
  const stop = subscribe((kind, data, isLast = false) => {
    newest.set(kind, data);
    isOver ||= isLast;
    void send();
  });
  stream.onAbort(() => (stop(), end()));
  // Regular messages show both ends that the other is still there.
  const pulse = setInterval(() => void stream.writeSSE({ event: 'pulse', data: '' }), PULSE_MS);
  await ended;
  clearInterval(pulse);
  stop();
}
