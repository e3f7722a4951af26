import { expect, it } from 'vitest';
import { ProgramMasks } from '../../../../../src/main/host/bots/program-masks.ts';

function masksOf(secrets: readonly string[], before: readonly string[] = []) {
  const opened: (readonly string[])[] = [];
  const telemetry = { openBot: async (_botId: string, masked: readonly string[]) => void opened.push(masked) };
  return { opened, masks: new ProgramMasks({ telemetry, botId: 'bot_1', secrets, before }) };
}

it('masks what was masked before and a pass that is new, before a program gets it', async () => {
  const { opened, masks } = masksOf(['key', 'old pass'], ['other run']);
  await masks.open();
  await masks.add('new pass');
  expect(opened).toEqual([
    ['key', 'old pass', 'other run'],
    ['key', 'old pass', 'new pass', 'other run'],
  ]);
  expect([masks.secrets, masks.added]).toEqual([['key', 'old pass', 'new pass'], ['new pass']]);
});

it('opens the log once where the pass is the one that is masked already, and records it all the same', async () => {
  const { opened, masks } = masksOf(['key', 'pass']);
  await masks.open();
  await masks.add('pass');
  expect(opened.length).toBe(1);
  expect([masks.secrets, masks.added]).toEqual([['key', 'pass'], ['pass']]);
});
