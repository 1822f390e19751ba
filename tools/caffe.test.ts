import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { ThroughlineError } from '../src/base/index.js';
import { bytesField, textField, varintField } from '../src/features/onnx-file.js';
import { readBlob, readCaffe } from './caffe.js';
import { readNpy } from './numpy.js';
import { damagedReader } from './damaged.case.js';
import { valuesOf } from './tensor.js';
import { caffeModel, floatBytes, type TestWeights } from './weights-files.case.js';
import { readWeights } from './weights.js';

const sample: TestWeights = {
  'conv1a.weight': { shape: [2, 1, 3, 1, 1], values: Float32Array.of(1, -2, 3.5, 0, 1e-30, 3e38) },
  'conv1a.bias': { shape: [2], values: Float32Array.of(-1, 0.25) },
  'fc6-1.weight': { shape: [1, 2], values: Float32Array.of(7, 8) },
  'fc6-1.bias': { shape: [1], values: Float32Array.of(9) },
};
const flat: TestWeights = { ...sample, 'conv1a.weight': { ...sample['conv1a.weight']!, shape: [2, 3, 1, 1] } };

function show(file: Uint8Array): Record<string, { shape: readonly number[]; values: number[] }> {
  return Object.fromEntries(
    [...readCaffe(file).tensors].map(([name, tensor]) => [
      name,
      { shape: tensor.shape, values: [...valuesOf(tensor)] },
    ]),
  );
}

describe('weights saved by Caffe', () => {
  it('are read from bytes written by hand', () => {
    // net { name: "n"  layers { name: "c"  blobs { num 1 channels 1 length 1 height 1 width 2  data 1, -2 } } }
    const fork = Buffer.from(
      '0a016e' + '1219' + '220163' + '3214' + '08011001180120012802' + '3208' + '0000803f000000c0',
      'hex',
    );
    expect(show(fork)).toEqual({ 'c.weight': { shape: [1, 1, 1, 1, 2], values: [1, -2] } });
    // The same before 2015 in plain Caffe: no length, so height is 3, width is 4 and the values are 5.
    const old = Buffer.from(
      '0a016e' + '1217' + '220163' + '3212' + '0801100118012002' + '2a08' + '0000803f000000c0',
      'hex',
    );
    expect(show(old)).toEqual({ 'c.weight': { shape: [1, 1, 1, 2], values: [1, -2] } });
    // And since: layer is field 100, its name 1, its blobs 7, their shape 7.
    const now = Buffer.from(
      '0a016e' + 'a20614' + '0a0163' + '3a0f' + '3a030a0102' + '2a08' + '0000803f000000c0',
      'hex',
    );
    expect(show(now)).toEqual({ 'c.weight': { shape: [2], values: [1, -2] } });
  });

  it('keep their shapes in the C3D fork, before 2015 and since', () => {
    const values = (weights: TestWeights, name: string): number[] => [...weights[name]!.values];
    const fork = show(caffeModel(sample, 'c3d'));
    expect(Object.keys(fork)).toEqual(Object.keys(sample));
    expect(fork['conv1a.weight']).toEqual({ shape: [2, 1, 3, 1, 1], values: values(sample, 'conv1a.weight') });
    expect(fork['fc6-1.weight']).toEqual({ shape: [1, 1, 1, 1, 2], values: [7, 8] });
    const old = show(caffeModel(flat, 'old'));
    expect(old['conv1a.weight']).toEqual({ shape: [2, 3, 1, 1], values: values(sample, 'conv1a.weight') });
    expect(old['conv1a.bias']!.shape).toEqual([1, 1, 1, 2]);
    const now = show(caffeModel(sample, 'new'));
    expect(now['conv1a.weight']).toEqual({ shape: [2, 1, 3, 1, 1], values: values(sample, 'conv1a.weight') });
    expect(readCaffe(caffeModel(sample, 'new')).form).toBe('caffe');
  });

  it('may be doubles, and may list their shape number by number', () => {
    const shape = bytesField(7, [...varintField(1, 1), ...varintField(1, 2)]);
    const doubles = bytesField(8, [new Uint8Array(Float64Array.of(0.1, -4).buffer)]);
    const tensor = readBlob(Buffer.concat([...shape, ...doubles]));
    expect(tensor.shape).toEqual([1, 2]);
    expect([...valuesOf(tensor)]).toEqual([Math.fround(0.1), -4]);
  });

  it('are refused where they cannot be right', () => {
    const layer = (...parts: Uint8Array[]): Buffer => Buffer.concat(bytesField(100, [...textField(1, 'c'), ...parts]));
    const blob = (...parts: readonly Uint8Array[]): Uint8Array => Buffer.concat(bytesField(7, parts));
    const two = bytesField(5, [floatBytes(Float32Array.of(1, 2))]);
    const sized = (size: number): readonly Uint8Array[] => bytesField(7, varintField(1, size));
    expect(show(layer(blob(...sized(2), ...two)))).toEqual({ 'c.weight': { shape: [2], values: [1, 2] } });
    const refused: [Uint8Array, RegExp][] = [
      [layer(blob(...sized(3), ...two)), /a blob of 3 holds 8 bytes/],
      [layer(blob(...sized(2))), /a blob of 2 holds 0 bytes/],
      [layer(blob(...sized(-1), ...two)), /impossible shape/],
      [layer(blob(...bytesField(7, bytesField(1, [new Uint8Array(40)])))), /more than 32 numbers/],
      [layer(blob(...sized(2), ...two, ...two)), /in pieces/],
      [Buffer.concat([layer(blob(...sized(2), ...two)), layer(blob(...sized(2), ...two))]), /two layers named "c"/],
      [layer(), /no layer with weights/],
      [Buffer.from('0b', 'hex'), /no field at byte 0/],
      [Buffer.from('12ff', 'hex'), /number without an end/],
      [Buffer.from('1205', 'hex'), /longer than what holds it/],
    ];
    for (const [file, sentence] of refused) {
      expect(() => readCaffe(file)).toThrow(sentence);
      expect(() => readCaffe(file)).toThrow(expect.objectContaining({ code: 'bad-model' }));
    }
  });

  it('are read or refused, wherever they are cut or changed', () => {
    const files = (['c3d', 'old', 'new'] as const).map((form) => caffeModel(form === 'old' ? flat : sample, form));
    const { survives, survivesChanges, refused } = damagedReader(readCaffe);
    for (const file of files) {
      for (let at = 0; at < file.length; at++) {
        survives(file.subarray(0, at));
        for (let bit = 0; bit < 8; bit++) {
          const changed = Uint8Array.from(file);
          changed[at]! ^= 1 << bit;
          survives(changed);
        }
      }
    }
    survivesChanges(files, 20, { numRuns: 2000, seed: 2 });
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), survives), { numRuns: 2000, seed: 3 });
    expect(refused()).toBeGreaterThan(1000);
  });
});

describe('an array saved by NumPy', () => {
  const oracle = JSON.parse(readFileSync(new URL('pickled.oracle.json', import.meta.url), 'utf8')) as {
    npy: { file: string; values: number[] };
  };
  const file = Uint8Array.from(Buffer.from(oracle.npy.file, 'base64'));

  it('is read', () => {
    const tensor = readNpy(file);
    expect(tensor.shape).toEqual([1, 2, 3, 4]);
    expect([...valuesOf(tensor)]).toEqual(oracle.npy.values);
  });

  it('is read or refused, wherever it is cut or changed', () => {
    for (let at = 0; at < file.length; at++) {
      expect(() => readNpy(file.subarray(0, at))).toThrow(ThroughlineError);
      for (let bit = 0; bit < 8; bit++) {
        const changed = Uint8Array.from(file);
        changed[at]! ^= 1 << bit;
        try {
          valuesOf(readNpy(changed));
        } catch (error) {
          expect(error).toBeInstanceOf(ThroughlineError);
        }
      }
    }
  });
});

describe('a file of another kind', () => {
  it.each([
    ['an empty file', ''],
    ['an HDF5 file', '\x89HDF\r\n\x1a\n'],
    ['a single NumPy array', '\x93NUMPY\x01\x00'],
    ['what looks like ONNX', '\x08\x08\x12'],
    ['a text', 'name: "VGG"\nlayers {'],
    ['a text', '<!DOCTYPE html>'],
  ])('is named: %s', (kind, start) => {
    expect(() => readWeights(Buffer.from(start, 'latin1'))).toThrow(`found ${kind}`);
  });
});
