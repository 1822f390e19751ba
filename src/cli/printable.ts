/** Replaces control characters, so that a file name can neither move the cursor nor look like another line of output. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, '?');
}
