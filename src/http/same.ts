import { timingSafeEqual } from 'node:crypto';

/** Compares in constant time. */
export function isSame(shown: string, secret: string): boolean {
  const [left, right] = [Buffer.from(shown), Buffer.from(secret)];
  return left.length === right.length && timingSafeEqual(left, right);
}
