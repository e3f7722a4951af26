import { describe, expect, it } from 'vitest';
import {
  type ArmedSubject,
  differences,
  hashesOf,
  hasLooserGuards,
} from '../../../../../src/main/host/arming/armed-hashes.ts';
import { readSpec } from '../../../../../src/main/host/guards/guard-spec.ts';

const SUBJECT: ArmedSubject = {
  versionHash: 'v1',
  config: { symbol: 'BTC', api_key: { $secret: 'KRAKEN' } },
  secrets: [{ name: 'KRAKEN', class: 'live' }],
  permits: { secrets: ['KRAKEN'] },
};
const changed = (change: Partial<ArmedSubject>) =>
  differences(hashesOf('key', SUBJECT), hashesOf('key', { ...SUBJECT, ...change }));

describe('the hashes of what is armed', () => {
  it('stay what they were in this release: an armed bot must not need a person after an upgrade', () => {
    expect(hashesOf('key', SUBJECT)).toMatchInlineSnapshot(`
      {
        "algorithm": 1,
        "configHash": "27be88b7aaf3acd648095b2a178b7604e3d43db35034d29c04b9b5f464ba978e",
        "permitsHash": "77929b63991f21c2b1d9aa8d71b1b0b659dcfac3eadae27eacfecbb556c9a64b",
        "versionHash": "acced093c0bf1abad25a883b0c1b987a4050de03f0f16349351f2a5774d5a8ea",
      }
    `);
  });

  it('know the order of neither settings nor secrets', () => {
    const two = [
      { name: 'A', class: 'paper' },
      { name: 'KRAKEN', class: 'live' },
    ] as const;
    const config = { api_key: { $secret: 'KRAKEN' }, symbol: 'BTC' };
    expect(changed({ config })).toEqual([]);
    expect(hashesOf('key', { ...SUBJECT, secrets: two })).toEqual(
      hashesOf('key', { ...SUBJECT, secrets: two.toReversed() }),
    );
  });

  it.each([
    ['version', { versionHash: 'v2' }],
    ['config', { config: { ...SUBJECT.config, symbol: 'ETH' } }],
    ['config', { secrets: [{ name: 'KRAKEN', class: 'paper' }] }],
    ['config', { secrets: [{ name: 'OTHER', class: 'live' }] }],
    ['permits', { permits: null }],
    ['permits', { permits: { network: [] } }],
  ] satisfies [string, Partial<ArmedSubject>][])('name what changed: %s', (what, change) => {
    expect(changed(change)).toEqual([what]);
  });

  it('are of their data folder alone, and of their algorithm', () => {
    const now = hashesOf('key', SUBJECT);
    expect(differences(now, hashesOf('other', SUBJECT))).toEqual(['version', 'config', 'permits']);
    expect(differences({ ...now, algorithm: 0 }, now)).toEqual(['version', 'config', 'permits']);
  });
});

describe('guards of an armed bot', () => {
  const guard = (limit: string) => readSpec({ bot_id: 'bot', kind: 'daily_loss', limit });

  it.each([
    ['the same', [guard('100')], false],
    ['a stricter one', [guard('50')], false],
    [
      'another one beside it',
      [guard('100'), readSpec({ bot_id: 'bot', kind: 'orders_per_minute', limit: '5' })],
      false,
    ],
    ['a looser one', [guard('200')], true],
    ['none any more', [], true],
  ] as const)('with %s', (_, now, isLooser) => {
    expect(hasLooserGuards([guard('100')], now)).toBe(isLooser);
  });
});
