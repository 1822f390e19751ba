/**
 * `next`, in which every part that equals the same part of `before` is that part itself: what is drawn from it need not be
 * drawn again. Both are plain data; `next` is changed.
 */
export function keepEqual<T>(before: unknown, next: T): T {
  if (before === next || !isObject(before) || !isObject(next) || Array.isArray(before) !== Array.isArray(next))
    return next;
  const parts: Record<string, unknown> = next;
  const keys = Object.keys(parts);
  let isEqual = keys.length === Object.keys(before).length;
  for (const key of keys) {
    parts[key] = keepEqual(before[key], parts[key]);
    isEqual &&= parts[key] === before[key] && key in before;
  }
  return isEqual ? (before as T) : next;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
