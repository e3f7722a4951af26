import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  controlFiles,
  makeControlFiles,
  StopHook,
  tokenDigest,
} from '../../../../../src/main/host/engine/stop-hook.ts';
import { tempDir } from '../../../../support/temp.ts';
import { until } from '../../../../support/until.ts';

const NEVER = new Promise<never>(() => undefined);
const TOKEN = 'ct_of_this_run';

async function channel() {
  const files = controlFiles(tempDir('control-'));
  await makeControlFiles(files);
  const clock = { at: 1_000_000, now: () => clock.at, monotonic: () => performance.now() };
  return {
    files,
    clock,
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
  const { host, stop, says, clock } = await channel();
  says(REGISTERED);
  const first = host().run('guard', 10_000, NEVER);
  await until('the hook to be asked', () => stop() !== '');
  const asked = stop();
  expect(JSON.parse(asked)).toEqual({ token: TOKEN, reason: 'guard', until: 1_010_000 });
  // A host that was killed; its successor has another reason by now.
  clock.at += 4000;
  expect(await host().run('shutdown', 1, NEVER)).toEqual({ is: 'late' });
  expect([stop(), await host().asked()]).toEqual([asked, { reason: 'guard', until: 1_010_000 }]);
  clock.at += 6000;
  expect(await host().run('guard', 10_000, NEVER)).toEqual({ is: 'late' });
  says({ reasons: ['guard'], ended: { error: null } });
  expect(await Promise.all([first, host().run('guard', 10_000, NEVER)])).toEqual([{ is: 'done' }, { is: 'done' }]);
  // The clock was set back: that gives the hook no more time than a new one has.
  clock.at = 0;
  says({ reasons: ['guard'], ended: { error: 'x'.repeat(9000) } });
  // The file is larger than what a host reads of it: the hook has said nothing.
  expect(await host().run('guard', 1, NEVER)).toEqual({ is: 'late' });
  says({ reasons: ['guard'], ended: { error: 'no route' } });
  expect(await host().run('guard', 1, NEVER)).toEqual({ is: 'failed', error: 'no route' });
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
