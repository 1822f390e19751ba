/** The bytes of numbers: a view of the same memory, not a copy. */
export function bytesOf({ buffer, byteOffset, byteLength }: Float32Array | Float64Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Copies bytes, aligned or not, into numbers; gives the numbers. */
export function filledFrom<T extends Float32Array | Float64Array>(numbers: T, bytes: Uint8Array): T {
  bytesOf(numbers).set(bytes);
  return numbers;
}
