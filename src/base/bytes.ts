/** Numbers as the bytes they are in memory; the same memory, not a copy. */
export function bytesOf({ buffer, byteOffset, byteLength }: Float32Array | Float64Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Bytes copied into numbers, which need not begin where numbers may; gives the numbers. */
export function filledFrom<T extends Float32Array | Float64Array>(numbers: T, bytes: Uint8Array): T {
  bytesOf(numbers).set(bytes);
  return numbers;
}
