import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  controlFiles,
  makeControlFiles,
  StopHook,
  tokenDigest,
} from '../../../../../src/main/host/engine/stop-hook.ts';
import { bootId } from '../../../../../src/node/process-identity.ts';
import { tempDir } from '../../../../support/temp.ts';
import { until } from '../../../../support/until.ts';

const NEVER = new Promise<never>(() => undefined);
const TOKEN = 'ct_of_this_run';

async function channel() {
  const files = controlFiles(tempDir('control-'));
  await makeControlFiles(files);
  const clock = {
    at: 1_000_000,
    steady: 5000,
    looks: 0,
    now: () => clock.at,
    monotonic: () => {
      clock.looks++;
      return clock.steady;
    },
  };
  /** Time passes, by both clocks. */
  const pass = (ms: number): void => {
    clock.at += ms;
    clock.steady += ms;
  };
  return {
    files,
    clock,
    pass,
    /** As another host of the same folder has it. */
    host: (token = TOKEN) => new StopHook(files, token, clock),
    stop: () => readFileSync(files.stop, 'utf8').trim(),
    says: (hook: unknown) => writeFileSync(files.hook, JSON.stringify(hook).padEnd(4096)),
  };
}
const REGISTERED = { reasons: ['guard'], ended: null };

it('asks nothing of a program without a hook for the reason', async () => {
  const { host, stop, says } = await channel();
  expect(await host().run('guard', 1000, NEVER)).toEqual({ is: 'none' });
  says(REGISTERED);
  expect(await host().run('panic', 1000, NEVER)).toEqual({ is: 'none' });
  expect([stop(), await host().asked()]).toEqual(['', null]);
});

it('asks once: the next host waits for the same hook, for what is left of its time', async () => {
  const { host, stop, says, pass } = await channel();
  says(REGISTERED);
  const first = host().run('guard', 10_000, NEVER);
  await until('the hook to be asked', () => stop() !== '');
  const asked = stop();
  const boot = await bootId();
  expect(JSON.parse(asked)).toEqual({
    ...{ token: TOKEN, reason: 'guard', until: 1_010_000 },
    ...{ boot, monotonic_until: 15_000 },
  });
  // A host that was killed; its successor has another reason by now.
  pass(4000);
  expect(await host().run('shutdown', 0, NEVER)).toEqual({ is: 'late' });
  expect(stop()).toBe(asked);
  expect(await host().asked()).toEqual({ reason: 'guard', until: 1_010_000, steady: { boot, until: 15_000 } });
  pass(6000);
  expect(await host().run('guard', 10_000, NEVER)).toEqual({ is: 'late' });
  says({ reasons: ['guard'], ended: { error: null } });
  expect(await Promise.all([first, host().run('guard', 10_000, NEVER)])).toEqual([{ is: 'done' }, { is: 'done' }]);
  says({ reasons: ['guard'], ended: { error: 'x'.repeat(9000) } });
  // The file is larger than what a host reads of it: the hook has said nothing.
  expect(await host().run('guard', 0, NEVER)).toEqual({ is: 'late' });
  says({ reasons: ['guard'], ended: { error: 'no route' } });
  expect(await host().run('guard', 1, NEVER)).toEqual({ is: 'failed', error: 'no route' });
});

/** A hook that was asked for by a host that died, `passed` ms ago by the clock that nobody can set. */
async function orphaned(passed: number) {
  const it = await channel();
  it.says(REGISTERED);
  const { promise: killed, resolve: kill } = Promise.withResolvers<void>();
  const first = it.host().run('guard', 10_000, killed);
  await until('the hook to be asked', () => it.stop() !== '');
  kill();
  expect(await first).toEqual({ is: 'ended' });
  it.pass(passed);
  /** True once the host has looked at its clock again and waits on. */
  const isWaiting = async (run: Promise<unknown>): Promise<boolean> => {
    let isOver = false;
    void run.then(() => {
      isOver = true;
    });
    const before = it.clock.looks;
    await until('the host to look at its clock', () => isOver || it.clock.looks > before + 1);
    return !isOver;
  };
  return { ...it, isWaiting };
}

it.each([
  ['forward', 86_400_000],
  ['back', -86_400_000],
])('keeps its time under the next host when the clock is set %s', async (_, step) => {
  const { host, clock, pass, says, isWaiting } = await orphaned(4000);
  clock.at += step;
  const next = host().run('guard', 10_000, NEVER);
  pass(5999);
  expect(await isWaiting(next)).toBe(true);
  pass(1);
  expect(await next).toEqual({ is: 'late' });
  says({ reasons: ['guard'], ended: { error: null } });
  expect(await host().run('guard', 10_000, NEVER)).toEqual({ is: 'done' });
});

it.each([
  ['of another start of the machine', { boot: 'another', monotonic_until: 1 }],
  ['of an earlier release', { boot: undefined, monotonic_until: undefined }],
])('has all of its time again when the host that asked was %s', async (_, written) => {
  const { host, files, stop, pass, isWaiting } = await orphaned(4000);
  writeFileSync(files.stop, JSON.stringify({ ...JSON.parse(stop()), ...written }).padEnd(512));
  const next = host().run('guard', 10_000, NEVER);
  expect(await isWaiting(next)).toBe(true);
  pass(9999);
  expect(await isWaiting(next)).toBe(true);
  pass(1);
  expect(await next).toEqual({ is: 'late' });
});

it('does not wait for a program that has ended', async () => {
  const { host, says } = await channel();
  says({ reasons: ['any'], ended: null });
  expect(await host().run('update', 10_000, Promise.resolve())).toEqual({ is: 'ended' });
});

it('takes no stop that another program has written for its own, and writes over it', async () => {
  const { host, files, stop, says } = await channel();
  says(REGISTERED);
  for (const forged of [{ token: 'ct_of_another' }, { token: tokenDigest(TOKEN) }, { token: null }, {}]) {
    writeFileSync(files.stop, JSON.stringify({ reason: 'guard', until: 0, ...forged }).padEnd(512));
    expect(await host().asked()).toBeNull();
  }
  const asked = host().run('guard', 10_000, NEVER);
  await until('the hook to be asked', () => stop().includes(TOKEN));
  says({ reasons: ['guard'], ended: { error: null } });
  expect(await asked).toEqual({ is: 'done' });
});

it('shows its token in the channel alone, and only with the stop', async () => {
  const { files, stop } = await channel();
  expect([stop(), readFileSync(files.hook, 'utf8').trim(), tokenDigest(TOKEN).includes(TOKEN)]).toEqual([
    '',
    '',
    false,
  ]);
});
