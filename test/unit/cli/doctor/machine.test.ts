import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkAutostart, checkClock, checkNode, checkTimeZone } from '../../../../src/cli/doctor/machine.ts';
import { autostartEntry } from '../../../../src/main/desktop/linux-autostart.ts';
import { tempDir } from '../../../support/temp.ts';

it('tells a Node that is too old, and one that is not there', async () => {
  expect(await checkNode()).toMatchObject({ level: 'ok' });
  const old = join(tempDir(), 'node');
  writeFileSync(old, '#!/bin/sh\necho v20.11.0\n', { mode: 0o755 });
  expect(await checkNode(old)).toMatchObject({ level: 'fault', message: expect.stringContaining('v20.11.0') });
  expect(await checkNode('/none/node')).toMatchObject({ level: 'fault' });
});

it('tells a clock that was never set, or was set back', async () => {
  const now = Date.UTC(2026, 5, 1);
  expect((await checkClock(null, now)).level).not.toBe('fault');
  expect(await checkClock(null, 0)).toMatchObject({ level: 'fault', message: expect.stringContaining('1970') });
  expect(await checkClock(now + 86_400_000, now)).toMatchObject({
    level: 'fault',
    message: expect.stringContaining('set back'),
  });
});

it('tells a TZ that is no zone', () => {
  expect(checkTimeZone({ TZ: 'Europe/Berlin' })).toMatchObject({ level: 'ok', message: 'Europe/Berlin' });
  expect(checkTimeZone({ TZ: 'Nowhere/Land' })).toMatchObject({ level: 'note' });
});

it.runIf(process.platform === 'linux')('tells an entry for the log-in that starts nothing', () => {
  const home = tempDir();
  const folder = join(home, '.config', 'autostart');
  mkdirSync(folder, { recursive: true });
  expect(checkAutostart({}, home)).toMatchObject([{ level: 'spare' }]);
  const program = join(home, 'a program "of" 100%');
  writeFileSync(join(folder, 'bot-platform.desktop'), autostartEntry([program, '--hidden']));
  expect(checkAutostart({}, home)).toMatchObject([{ level: 'note', message: expect.stringContaining(program) }]);
  writeFileSync(program, '');
  expect(checkAutostart({}, home)).toMatchObject([{ level: 'ok', message: program }]);
});
