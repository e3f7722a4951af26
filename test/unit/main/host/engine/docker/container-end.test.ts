import type { ContainerInspectInfo } from 'dockerode';
import { describe, expect, it } from 'vitest';
import { endOf } from '../../../../../../src/main/host/engine/docker/container-end.ts';

const FINISHED = '2026-11-21T10:00:00.123456789Z';
const AT = Date.parse('2026-11-21T10:00:00.123Z');
const NOW = AT + 5000;

type State = Partial<ContainerInspectInfo['State']>;

function end(state: State, memory?: number) {
  const info = { State: { FinishedAt: FINISHED, OOMKilled: false, ...state }, HostConfig: { Memory: memory } };
  return endOf(info as ContainerInspectInfo, NOW);
}

describe('how a container ended', () => {
  it.each([
    [0, 0, null],
    [1, 1, null],
    [137, null, 'SIGKILL'],
    [139, null, 'SIGSEGV'],
    [143, null, 'SIGTERM'],
    // Another number than on a Mac.
    [135, null, 'SIGBUS'],
    [255, 255, null],
  ])('code %i', (ExitCode, exitCode, signal) => {
    expect(end({ ExitCode })).toEqual({ exitCode, signal, endedAt: AT });
  });

  it('is a limit when it was killed for its memory', () => {
    const limit = 'out of memory: allowed are 64 MB';
    expect(end({ ExitCode: 137, OOMKilled: true }, 64 * 1024 * 1024)).toEqual({
      exitCode: null,
      signal: 'SIGKILL',
      endedAt: AT,
      limit,
    });
  });

  it('is no limit when only a child was killed and the bot ended by itself', () => {
    expect(end({ ExitCode: 3, OOMKilled: true }, 64)).toEqual({ exitCode: 3, signal: null, endedAt: AT });
  });

  it.each([
    ['never ran', '0001-01-01T00:00:00Z'],
    ['says nothing', ''],
    ['has a clock that goes ahead', '2030-01-01T00:00:00Z'],
  ])('is now for one that %s', (_, FinishedAt) => {
    expect(end({ ExitCode: 0, FinishedAt }).endedAt).toBe(NOW);
  });
});
