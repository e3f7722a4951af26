import { expect, it } from 'vitest';
import { createBotMasker } from '../../../../src/main/telemetry/bot-masker.ts';
import { SpoolTail } from '../../../../src/main/telemetry/spool-tail.ts';

const MIB = 1024 * 1024;

it('space that could not be given back is part of the next range, and not tried again before', () => {
  const tail = new SpoolTail({ botId: 'b', runId: 'r', path: '/none', source: 'stdout' }, createBotMasker([]));
  const rangeAt = (offset: number) => {
    tail.offset = offset;
    return tail.takePunchRange();
  };
  expect(rangeAt(10 * MIB)).toBeNull();
  expect(rangeAt(71 * MIB)).toEqual([0, 70 * MIB]);
  expect(rangeAt(72 * MIB)).toBeNull();
  expect(rangeAt(141 * MIB)).toEqual([0, 140 * MIB]);
  tail.punched(140 * MIB);
  expect(rangeAt(211 * MIB)).toEqual([140 * MIB, 210 * MIB]);
});
