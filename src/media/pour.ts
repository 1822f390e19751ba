import type { Writable } from 'node:stream';

/** Writes to a pipe and waits until it takes more. A reader that went away is no error here: its exit tells why. */
export async function writeTo(sink: Writable, data: Uint8Array): Promise<void> {
  if (sink.destroyed || sink.write(data)) return;
  await new Promise<void>((resolve) => {
    const events = ['drain', 'close', 'error'];
    const go = (): void => {
      for (const event of events) sink.off(event, go);
      resolve();
    };
    for (const event of events) sink.on(event, go);
  });
}
