import { expect, it } from 'vitest';
import { toProcessHandle } from '../../../../../../src/main/host/engine/process/unit-handle.ts';

const PROCESS = { pid: 11, started: '2', boot: '3', startedAt: 4, queryPort: null };

it('keeps what a program was held by from its start on', () => {
  const confinement = { level: 'sandbox', network: 'gate', gatePort: 4848 } as const;
  const handle = { engine: 'sandbox', ...PROCESS, confinement };
  expect(toProcessHandle(JSON.parse(JSON.stringify(handle)), 'sandbox')).toEqual(handle);
});

it('takes a program of which an earlier release has recorded nothing for one that is held by as little as may be', () => {
  for (const confinement of [undefined, { level: 'container' }, 'sandbox'])
    for (const [engine, level] of [
      ['process', 'none'],
      ['sandbox', 'partial'],
    ] as const)
      expect(toProcessHandle({ engine, ...PROCESS, confinement }, engine).confinement).toEqual({
        ...{ level, network: 'machine', gatePort: 'unknown' },
      });
});

it('believes what the environment of such a program says of the sandbox, and of no other engine', () => {
  const levelOf = (engine: string, mark: string) =>
    toProcessHandle({ engine, ...PROCESS }, engine, (pid) => (pid === PROCESS.pid ? mark : null)).confinement.level;
  expect([levelOf('sandbox', 'sandbox'), levelOf('sandbox', 'partial'), levelOf('sandbox', 'container')]).toEqual([
    ...['sandbox', 'partial', 'partial'],
  ]);
  expect(levelOf('process', 'sandbox')).toBe('none');
});
