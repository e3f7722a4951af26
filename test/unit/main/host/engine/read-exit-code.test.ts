import { constants } from 'node:os';
import { describe, expect, it } from 'vitest';
import { exitOf, LINUX_SIGNALS } from '../../../../../src/main/host/engine/read-exit-code.ts';

describe('an exit code', () => {
  it.each([
    [0, 0, null],
    [128, 128, null],
    [134, null, 'SIGABRT'],
    [137, null, 'SIGKILL'],
    [143, null, 'SIGTERM'],
    // No signal has this number.
    [228, 228, null],
    [255, 255, null],
  ])('%i', (code, exitCode, signal) => {
    expect(exitOf(code, 1)).toEqual({ exitCode, signal, endedAt: 1 });
    expect(exitOf(code, 1, LINUX_SIGNALS)).toEqual({ exitCode, signal, endedAt: 1 });
  });

  it.runIf(process.platform === 'linux')('of a container has the numbers that Linux has', () => {
    for (const [number, name] of LINUX_SIGNALS)
      expect(new Map(Object.entries(constants.signals)).get(name)).toBe(number);
    expect(LINUX_SIGNALS.size).toBeGreaterThan(15);
  });
});
