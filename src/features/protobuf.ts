import { UsageError } from '../base/index.js';

/**
 * A field of a Protocol Buffers message, read without a schema: the caller knows what each number means. A nested message is
 * content that the caller reads again, so nothing here recurses, however deep a file pretends to be.
 */
export type WireField = {
  readonly number: number;
  readonly wire: 'varint' | 'bytes' | 'fixed32' | 'fixed64';
  /** A varint as signed 64-bit number (exact to 2⁵³); 0 for other wire types. */
  readonly value: number;
  /** The content of the field, as a view of the message; for a varint its digits. */
  readonly content: Uint8Array;
  /** Where the field begins in the message and where the next one does. */
  readonly start: number;
  readonly end: number;
};

/** Wire types by code; 3 and 4 are groups, which have not been in use since 2008. */
const WIRES = ['varint', 'fixed64', 'bytes', undefined, undefined, 'fixed32'] as const;

/** The fields of a message in file order. Throws a `UsageError` if the bytes are no message. */
export function* readMessage(message: Uint8Array): Generator<WireField> {
  let at = 0;
  while (at < message.length) {
    const start = at;
    const key = readVarint(message, at);
    const number = Math.floor(key.value / 8);
    const wire = WIRES[key.value & 7];
    if (wire === undefined || number < 1 || number >= 2 ** 29) throw damaged(`it has no field at byte ${start}`);
    const first = wire === 'fixed32' || wire === 'fixed64' ? undefined : readVarint(message, key.end);
    const content = wire === 'bytes' ? first!.end : key.end;
    const length = wire === 'varint' ? first!.end - key.end : (first?.value ?? (wire === 'fixed32' ? 4 : 8));
    if (length < 0 || length > message.length - content) throw damaged(`field ${number} is longer than what holds it`);
    at = content + length;
    const value = wire === 'varint' ? first!.value : 0;
    yield { number, wire, value, content: message.subarray(content, at), start, end: at };
  }
}

/** The numbers of a packed field; throws if there are more than `most`. */
export function readPacked(content: Uint8Array, most: number): number[] {
  const numbers: number[] = [];
  for (let at = 0; at < content.length;) {
    const { value, end } = readVarint(content, at);
    if (numbers.push(value) > most) throw damaged(`it has a list of more than ${most} numbers`);
    at = end;
  }
  return numbers;
}

function readVarint(message: Uint8Array, start: number): { value: number; end: number } {
  let end = start;
  do {
    if (end >= message.length || end - start === 10) throw damaged('it holds a number without an end');
  } while (message[end++]! >= 128);
  // Seven digits of seven bits fit a double exactly; longer numbers need 64 bits and may be negative.
  const isLong = end - start > 7;
  let [short, long] = [0, 0n];
  for (let k = end - 1; k >= start; k--) {
    const digit = message[k]! & 127;
    if (isLong) long = (long << 7n) | BigInt(digit);
    else short = short * 128 + digit;
  }
  return { value: isLong ? Number(BigInt.asIntN(64, long)) : short, end };
}

/** No name in a model is longer; in bytes. */
const LONGEST_TEXT = 1_000_000;

/** The content of a field as text; invalid UTF-8 becomes replacement characters. */
export function textOf(content: Uint8Array): string {
  if (content.length > LONGEST_TEXT) throw damaged(`it holds a name of ${content.length} bytes`);
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('utf8');
}

/** Bytes of a message being written, in pieces: large constants are copied only once, when the file is assembled. */
export type Pieces = readonly Uint8Array[];

/** A field with a whole number. */
export function varintField(field: number, value: number): Pieces {
  return [Uint8Array.from([...base128(field << 3), ...base128(value)])];
}

/** A field with bytes, or with a nested message. */
export function bytesField(field: number, content: Pieces): Pieces {
  const length = content.reduce((total, piece) => total + piece.length, 0);
  return [Uint8Array.from([...base128((field << 3) | 2), ...base128(length)]), ...content];
}

/** A field with text. */
export function textField(field: number, content: string): Pieces {
  return bytesField(field, [Buffer.from(content, 'utf8')]);
}

function base128(value: number): number[] {
  const digits: number[] = [];
  // A negative number is written as its 64-bit complement.
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    if (rest < 128n) return [...digits, Number(rest)];
    digits.push(Number(rest & 127n) | 128);
  }
}

/** The error for a model file that is not consistent. */
export function damaged(reason: string): UsageError {
  return new UsageError('bad-model', `The model file is damaged: ${reason}. Copy or download it again.`);
}
