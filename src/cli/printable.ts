/** File names are other people's text: nothing in them may move the cursor or pass for a line of ours. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, '?');
}
