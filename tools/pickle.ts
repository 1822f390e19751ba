import { UsageError } from '../src/base/index.js';
import { damaged } from '../src/features/onnx-file.js';

/** A value in a pickle. Lists and tuples are arrays, dictionaries of any kind are maps. */
export type Pickled =
  null | boolean | number | bigint | string | Uint8Array | Pickled[] | Map<Pickled, Pickled> | PickledObject;

/** Any other value: made by one of the allowed functions, or the name of one. */
export type PickledObject = {
  readonly kind: string;
  /** Sets the state of a new object; without this method, it may not have any. */
  setState?(state: readonly Pickled[]): void;
};

/** A class or function a pickle names. */
export type PickledGlobal = PickledObject & { readonly kind: 'global'; readonly name: string };

/** A function a pickle may call. */
export type PickleFunction = (args: readonly Pickled[]) => Pickled;

/** The closed world a pickle is read in: nothing outside it is ever called. */
export type PickleWorld = {
  /** Allowed functions by full name; `null` for classes that may be named but not called. */
  readonly globals: ReadonlyMap<string, PickleFunction | null>;
  /** The value for an object that is kept outside the pickle. */
  readonly persistent: (id: Pickled) => Pickled;
};

/** State dicts take some thousand steps; a pickle that takes more than this is hostile. */
const MOST_STEPS = 2_000_000;

/** Below the longest string the engine can make (2²⁹); only Python 2 keeps arrays as text at all. */
const LONGEST_TEXT = 2 ** 28;

/**
 * Arguments and states are used about once, so their sizes add up to less than the file. A hostile pickle could use the same
 * long list again at every step.
 */
const ITEMS_PER_BYTE = 4;

/**
 * Reads one pickle (protocols 2 to 5) that begins at `start`, and gives its value and its end. A pickle is a program for a
 * stack machine that may call any function; this machine knows only what weights need, and throws for everything else.
 */
export function unpickle(file: Uint8Array, start: number, world: PickleWorld): { value: Pickled; end: number } {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const stack: Pickled[] = [];
  const marks: number[] = [];
  const memo = new Map<number, Pickled>();
  let at = start;
  let itemsLeft = ITEMS_PER_BYTE * file.length;

  const skip = (bytes: number): number => {
    if (bytes < 0 || bytes > file.length - at) throw damaged('its pickle ends too early');
    at += bytes;
    return at - bytes;
  };
  const byte = (): number => view.getUint8(skip(1));
  const short = (): number => view.getUint16(skip(2), true);
  const int = (): number => view.getUint32(skip(4), true);
  const long = (): number => Number(view.getBigUint64(skip(8), true));
  const bytes = (length: number): Uint8Array => file.subarray(skip(length), at);
  const text = (length: number, encoding: 'utf8' | 'latin1' = 'utf8'): string => {
    if (length > LONGEST_TEXT) throw damaged(`its pickle holds a text of ${length} bytes`);
    return Buffer.from(file.buffer, file.byteOffset + skip(length), length).toString(encoding);
  };
  const line = (): string => {
    const end = file.indexOf(10, at);
    if (end < 0 || end - at > 1000) throw damaged('its pickle holds a name without an end');
    return text(end + 1 - at).slice(0, -1);
  };
  const pop = (): Pickled => {
    // Values below a mark belong to a list that is still being collected.
    if (stack.length <= (marks.at(-1) ?? 0)) throw damaged('its pickle takes more than it put down');
    return stack.pop()!;
  };
  const push = (value: Pickled): void => void stack.push(value);
  const popMarked = (): Pickled[] => {
    const mark = marks.pop();
    if (mark === undefined) throw damaged('its pickle closes what it did not open');
    return stack.splice(mark);
  };
  const popMany = (count: number): Pickled[] => Array.from({ length: count }, pop).toReversed();
  const recall = (key: number): void => {
    const value = memo.get(key);
    if (value === undefined) throw damaged('its pickle recalls what it did not keep');
    push(value);
  };
  const keep = (key: number): void => {
    const value = pop();
    memo.set(key, value);
    push(value);
  };
  const append = (items: readonly Pickled[]): void => {
    const list = pop();
    if (!Array.isArray(list)) throw damaged('its pickle appends to what is no list');
    for (const item of items) list.push(item);
    push(list);
  };
  const setItems = (items: readonly Pickled[]): void => {
    const dict = pop();
    if (!(dict instanceof Map) || items.length % 2 !== 0) throw damaged('its pickle fills what is no dictionary');
    for (let k = 0; k < items.length; k += 2) dict.set(items[k]!, items[k + 1]!);
    push(dict);
  };
  const findGlobal = (module: Pickled, name: Pickled): void => {
    if (typeof module !== 'string' || typeof name !== 'string') throw damaged('its pickle names what is no name');
    const fullName = `${module}.${name}`;
    if (!world.globals.has(fullName)) throw forbidden(fullName);
    const named: PickledGlobal = { kind: 'global', name: fullName };
    push(named);
  };
  /** The arguments of a call or the state of an object, their sizes counted. */
  const handedOver = (value: Pickled | undefined): Pickled[] => {
    if (!Array.isArray(value)) throw damaged('its pickle hands over what is no list');
    const isLong = (item: Pickled): item is Pickled[] | string | Uint8Array =>
      Array.isArray(item) || typeof item === 'string' || item instanceof Uint8Array;
    itemsLeft = value.reduce<number>((left, item) => left - (isLong(item) ? item.length : 1), itemsLeft);
    if (itemsLeft < 0) throw damaged('its pickle uses the same parts over and over');
    return value;
  };
  const call = (): void => {
    const [callee, args] = popMany(2);
    const make = isKind<PickledGlobal>(callee, 'global') ? world.globals.get(callee.name) : undefined;
    if (!make) throw damaged('its pickle calls what is no function');
    push(make(handedOver(args)));
  };
  const setState = (): void => {
    const [target, state] = popMany(2);
    // An OrderedDict carries remarks about module versions; they say nothing about the weights.
    if (target instanceof Map) return push(target);
    if (!isObject(target) || !target.setState) throw damaged('its pickle gives a state to what takes none');
    target.setState(handedOver(state));
    push(target);
  };

  for (let step = 0; step < MOST_STEPS; step++) {
    const code = byte();
    switch (code) {
      case 0x80: // PROTO
        if (byte() > 5) throw damaged('its pickle is of an unknown protocol');
        break;
      case 0x95: // FRAME: a hint for buffered readers
        skip(8);
        break;
      case 0x2e: {
        // STOP
        const value = pop();
        if (stack.length > 0 || marks.length > 0) throw damaged('its pickle stops in the middle');
        return { value, end: at };
      }
      case 0x28: // MARK
        marks.push(stack.length);
        break;
      case 0x4e: // NONE
        push(null);
        break;
      case 0x88: // NEWTRUE
      case 0x89: // NEWFALSE
        push(code === 0x88);
        break;
      case 0x4a: // BININT
        push(view.getInt32(skip(4), true));
        break;
      case 0x4b: // BININT1
        push(byte());
        break;
      case 0x4d: // BININT2
        push(short());
        break;
      case 0x8a: // LONG1
        push(wholeNumber(bytes(byte())));
        break;
      case 0x47: // BINFLOAT
        push(view.getFloat64(skip(8)));
        break;
      case 0x58: // BINUNICODE
        push(text(int()));
        break;
      case 0x8c: // SHORT_BINUNICODE
        push(text(byte()));
        break;
      case 0x8d: // BINUNICODE8
        push(text(long()));
        break;
      // Python 2 has one type for text and bytes; Latin-1 keeps each byte apart.
      case 0x54: // BINSTRING
        push(text(int(), 'latin1'));
        break;
      case 0x55: // SHORT_BINSTRING
        push(text(byte(), 'latin1'));
        break;
      case 0x42: // BINBYTES
        push(bytes(int()));
        break;
      case 0x43: // SHORT_BINBYTES
        push(bytes(byte()));
        break;
      case 0x8e: // BINBYTES8
      case 0x96: // BYTEARRAY8
        push(bytes(long()));
        break;
      case 0x29: // EMPTY_TUPLE
      case 0x5d: // EMPTY_LIST
        push([]);
        break;
      case 0x7d: // EMPTY_DICT
        push(new Map());
        break;
      case 0x74: // TUPLE
        push(popMarked());
        break;
      case 0x85: // TUPLE1
      case 0x86: // TUPLE2
      case 0x87: // TUPLE3
        push(popMany(code - 0x84));
        break;
      case 0x61: // APPEND
        append([pop()]);
        break;
      case 0x65: // APPENDS
        append(popMarked());
        break;
      case 0x73: // SETITEM
        setItems(popMany(2));
        break;
      case 0x75: // SETITEMS
        setItems(popMarked());
        break;
      case 0x71: // BINPUT
        keep(byte());
        break;
      case 0x72: // LONG_BINPUT
        keep(int());
        break;
      case 0x94: // MEMOIZE
        keep(memo.size);
        break;
      case 0x68: // BINGET
        recall(byte());
        break;
      case 0x6a: // LONG_BINGET
        recall(int());
        break;
      case 0x63: // GLOBAL
        findGlobal(line(), line());
        break;
      case 0x93: // STACK_GLOBAL
        findGlobal(...(popMany(2) as [Pickled, Pickled]));
        break;
      case 0x52: // REDUCE
        call();
        break;
      case 0x62: // BUILD
        setState();
        break;
      case 0x51: // BINPERSID
        push(world.persistent(pop()));
        break;
      default:
        throw damaged(`its pickle holds the unknown step 0x${code.toString(16)} at byte ${at - 1}`);
    }
  }
  throw damaged('its pickle does not end');
}

/** Whether a value is an object of one kind. */
export function isKind<Kind extends PickledObject>(value: Pickled | undefined, kind: Kind['kind']): value is Kind {
  return isObject(value) && value.kind === kind;
}

function isObject(value: Pickled | undefined): value is PickledObject {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

/** A whole number of any length in two's complement, little-endian. */
function wholeNumber(digits: Uint8Array): number | bigint {
  const value = digits.reduceRight((sum, digit) => (sum << 8n) | BigInt(digit), 0n);
  const signed = BigInt.asIntN(8 * digits.length, value);
  return BigInt.asIntN(53, signed) === signed ? Number(signed) : signed;
}

function forbidden(name: string): UsageError {
  return new UsageError(
    'bad-model',
    `Expected a file of weights only, found a call of "${name.slice(0, 200)}". A pickle can run any program, so only plain tensors are read. Save the state dict alone, torch.save(model.state_dict(), …), or choose another file.`,
  );
}
