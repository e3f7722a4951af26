import { expect, it } from 'vitest';
import type { NetworkMode } from '../../../../../src/contract/network.ts';
import type { Confinement } from '../../../../../src/main/host/engine/engine.ts';
import { networkWords } from '../../../../../src/main/host/gate/network-words.ts';

const HELD: Confinement = { level: 'sandbox', network: 'gate', gatePort: 4848 };
const OPEN: Confinement = { level: 'partial', network: 'machine', gatePort: null };
const LED: Confinement = { level: 'partial', network: 'machine', gatePort: 4848 };

/** A machine on which the sandbox holds the network, and one on which it does not. */
const HOLDS = { use: 'gate', refusesEnforce: false } as const;
const FAILS = { use: 'machine', refusesEnforce: true } as const;

const NOTHING_STARTS = 'no program of this bot starts until it does';

it.each<[string, NetworkMode, typeof HOLDS | typeof FAILS, Confinement[], boolean, readonly string[]]>([
  [
    'a program that was started open goes on so, whatever the sandbox holds now',
    'enforce',
    HOLDS,
    [OPEN],
    false,
    ['started without the gate: nothing is recorded and nothing refused'],
  ],
  [
    'a program that is held goes on so, whatever the sandbox fails to hold now',
    'enforce',
    FAILS,
    [HELD],
    true,
    ['reaches the gate alone, which refuses', NOTHING_STARTS],
  ],
  ['one of two programs that is held holds nothing', 'enforce', HOLDS, [HELD, LED], false, ['Advisory']],
  ['a program that could go past the gate', 'enforce', FAILS, [LED], false, ['Advisory', NOTHING_STARTS]],
  [
    'a program that was led to the gate before its bot was set to open',
    'open',
    FAILS,
    [LED],
    false,
    ['until the next start'],
  ],
  ['a program without the gate in open', 'open', FAILS, [OPEN], false, ['does not go through the gate']],
  [
    'a program that an earlier release started',
    'enforce',
    HOLDS,
    [{ ...OPEN, gatePort: 'unknown' }],
    false,
    ['started by an earlier release: whether it goes through the gate is not known until its next start'],
  ],
  [
    'a program without the gate beside one that an earlier release started',
    'observe',
    FAILS,
    [{ ...OPEN, gatePort: 'unknown' }, OPEN],
    false,
    ['started without the gate'],
  ],
  ['a program without the gate in observe', 'observe', FAILS, [OPEN], false, ['started without the gate']],
])('%s', (_, mode, coming, running, isEnforced, words) => {
  const { is_enforced, summary } = networkWords(mode, coming, running);
  expect(is_enforced).toBe(isEnforced);
  for (const text of words) expect(summary).toContain(text);
});

it('says of a bot in enforce that nothing holds here that it does not start, and not that it is advised', () => {
  const found = networkWords('enforce', FAILS, []);
  expect(found).toEqual({
    is_enforced: false,
    summary: `The sandbox does not hold on this machine now, and ${NOTHING_STARTS}.`,
  });
  expect(networkWords('observe', FAILS, []).summary).toContain('Advisory');
});
