/** Kinds of units in an H.264 stream (ITU-T H.264, table 7-1). */
export const NAL = { slice: 1, idr: 5, sps: 7, pps: 8, delimiter: 9 } as const;

/** The kind of a unit, one of `NAL` or another. */
export function nalType(unit: Uint8Array): number {
  return (unit[0] ?? 0) & 31;
}

/** The units of a byte stream (annex B of the standard), without start codes and the zeros before them. */
export function splitUnits(stream: Buffer): Buffer[] {
  const units: Buffer[] = [];
  let from = -1;
  for (let at = stream.indexOf(START); at !== -1; at = stream.indexOf(START, at + 3)) {
    if (from >= 0) units.push(trimZeros(stream.subarray(from, at)));
    from = at + 3;
  }
  if (from >= 0) units.push(trimZeros(stream.subarray(from)));
  return units;
}

const START = Buffer.from([0, 0, 1]);

/** Zeros after a unit belong to the next start code; a unit itself never ends with one. */
function trimZeros(unit: Buffer): Buffer {
  let end = unit.length;
  while (end > 0 && unit[end - 1] === 0) end--;
  return unit.subarray(0, end);
}

/** Units as MP4 stores them: each with its length before it. */
export function joinUnits(units: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    units.flatMap((unit) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(unit.length);
      return [length, unit];
    }),
  );
}

/** Parameter sets of a stream: sequence sets (profile, size, clock) and picture sets (how slices are coded). */
export type ParameterSets = { readonly sps: readonly Buffer[]; readonly pps: readonly Buffer[] };

/** The parameter sets among units, each once. */
export function parameterSets(units: readonly Buffer[]): ParameterSets {
  const ofType = (type: number): Buffer[] => {
    const found = new Map(units.filter((unit) => nalType(unit) === type).map((unit) => [unit.toString('hex'), unit]));
    return [...found.values()];
  };
  return { sps: ofType(NAL.sps), pps: ofType(NAL.pps) };
}

/** The numbers of parameter sets. They begin in byte 4 of a sequence set, and in byte 1 of a picture set. */
export function setIds({ sps, pps }: ParameterSets): Set<number> {
  return new Set([
    ...sps.map((unit) => firstNumber(unit.subarray(4))),
    ...pps.map((unit) => firstNumber(unit.subarray(1))),
  ]);
}

/** The first Exp-Golomb number of some bytes: n zeros, a one and n bits x mean 2ⁿ − 1 + x. */
function firstNumber(bytes: Uint8Array): number {
  const bit = (at: number): number => ((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1;
  let zeros = 0;
  while (zeros < 16 && bit(zeros) === 0) zeros++;
  let value = 0;
  for (let at = zeros; at <= 2 * zeros; at++) value = 2 * value + bit(at);
  return value - 1;
}
