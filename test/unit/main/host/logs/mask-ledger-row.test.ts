import { describe, expect, it } from 'vitest';
import { createBotMasker } from '../../../../../src/main/host/logs/create-bot-masker.ts';
import { takeLine } from '../../../../../src/main/host/logs/line-intake.ts';
import { maskEvent } from '../../../../../src/main/host/logs/mask-again.ts';

const SECRET = 'hunter2-very-secret';

/** What is stored of a line that the keyword automaton has flagged. */
function stored(line: string, secrets: readonly string[] = [SECRET], key = 'key'): string {
  const masker = createBotMasker(secrets, key);
  const taken = takeLine(line, true, masker.newStream(), masker);
  if (taken.kind !== 'metric') throw new Error('it is no metric');
  return taken.data;
}

const fill = (more: string): string => `{"_metric":"fill","symbol":"A",${more}}`;

describe('a row of the ledger', () => {
  it.each([
    '"fill_id":"0x4e3a3754410177e6937ef1f84bba68ea139e8d1a2258c5f85db9f1cd715a1bdd"',
    '"fill_id":"550e8400-e29b-41d4-a716-446655440000","account":"0x52908400098527886E0F7030069857D2E4169EE7"',
    '"fill_id":"AKIAIOSFODNN7EXAMPLE","client_order_id":"sk_live_4eC39HqLyjWDarjtT1zdp7dc"',
    '"fill_id":12345678901234567890,"price":0.10000000000000000001,"quantity":1.50',
    '"fill_id":"a","price":4242424242',
    '"fill_id":"a","price":"4242424242.5"',
  ])('stays byte for byte where it holds no secret of the bot: %s', (fields) => {
    expect(stored(fill(fields), [SECRET, '4242424242'])).toBe(fill(fields));
  });

  it('has ids without its secrets that stay different, the same on every day', () => {
    const ids = ['1', '2', '1'].map((end) => JSON.parse(stored(fill(`"fill_id":"${SECRET}-${end}"`))).fill_id);
    expect(ids[0]).toMatch(/^\*{3}-[0-9a-f]{16}$/);
    expect(ids[2]).toBe(ids[0]);
    expect(ids[1]).not.toBe(ids[0]);
    expect(JSON.parse(stored(fill(`"fill_id":"${SECRET}-1"`), [SECRET], 'other')).fill_id).not.toBe(ids[0]);
  });

  it('keeps the digits of its numbers when another field is masked', () => {
    const text = stored(fill(`"price":1.500000000000000000009,"quantity":1e2,"reason":"key ${SECRET}","fill_id":7`));
    expect(text).toContain('"price":1.500000000000000000009');
    expect(text).toContain('"quantity":1e2');
    expect(text).toContain('"fill_id":7');
    expect(text).not.toContain(SECRET);
  });

  it('has no secret in another field, a number or the name of one', () => {
    const text = stored(fill(`"fill_id":9,"pin":4242424242,"${SECRET}":5`), [SECRET, '4242424242']);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('4242424242');
    expect(stored(fill('"fill_id":4242424242'), ['4242424242'])).toMatch(/"fill_id":"\*{3}-[0-9a-f]{16}"/);
  });

  it('hides a secret in a key that stands there twice', () => {
    expect(stored(`{"_metric":"fill","fill_id":"${SECRET}","fill_id":"b"}`)).toBe('{"_metric":"fill","fill_id":"b"}');
  });

  it('is masked alike when it is read later', () => {
    const data = { fill_id: `${SECRET}-1`, price: 4, reason: SECRET };
    const event = { seq: 1, ts: 't', time: null, type: 'fill', run_id: null, data };
    const later = maskEvent(event, createBotMasker([SECRET], 'key'));
    expect(later.data.fill_id).toBe(JSON.parse(stored(fill(`"fill_id":"${SECRET}-1"`))).fill_id);
    expect(later.data).toMatchObject({ price: 4, reason: '***' });
    expect(maskEvent(later, createBotMasker([SECRET], 'key'))).toBe(later);
  });
});
