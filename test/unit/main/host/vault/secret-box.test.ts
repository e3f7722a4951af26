import { describe, expect, it } from 'vitest';
import { openWith, sealedUnder, sealWith } from '../../../../../src/main/host/vault/secret-box.ts';

const ID = '0123456789abcdef';
const KEY = Buffer.alloc(32, 7);
const keyOf = (id: string) => (id === ID ? KEY : null);

describe('sealWith', () => {
  it('seals each text anew, names its key, and opens for its record alone', () => {
    const sealed = sealWith(ID, KEY, 'bot:1', 'grüße');
    expect(sealed).not.toBe(sealWith(ID, KEY, 'bot:1', 'grüße'));
    expect(sealedUnder(sealed)).toBe(ID);
    expect(openWith(keyOf, 'bot:1', sealed)).toBe('grüße');
    expect(openWith(keyOf, 'bot:2', sealed)).toBeUndefined();
    expect(openWith(() => null, 'bot:1', sealed)).toBeUndefined();
    expect(openWith(() => Buffer.alloc(32, 8), 'bot:1', sealed)).toBeUndefined();
  });

  it('opens nothing that was changed in any bit, cut or made up', () => {
    const sealed = sealWith(ID, KEY, 'bot:1', 'a secret');
    const bytes = Buffer.from(sealed.split('.')[2] ?? '', 'base64');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const other = Buffer.from(bytes);
      other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(openWith(keyOf, 'bot:1', `v1.${ID}.${other.toString('base64')}`)).toBeUndefined();
    }
    for (let length = 0; length < bytes.length; length++)
      expect(openWith(keyOf, 'bot:1', `v1.${ID}.${bytes.subarray(0, length).toString('base64')}`)).toBeUndefined();
    for (const text of ['', 'v1', 'v2.0123456789abcdef.AAAA', 'plain', `v1.${ID}.`, `v1.${ID}.!!!!`])
      expect(openWith(keyOf, 'bot:1', text)).toBeUndefined();
  });
});
