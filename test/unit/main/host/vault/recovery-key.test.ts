import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keyOfRecoveryKey, recoveryKeyOf } from '../../../../../src/main/host/vault/recovery-key.ts';

const INVALID = expect.objectContaining({ code: 'INVALID_REQUEST' });

describe('recoveryKeyOf', () => {
  it('writes a key in 14 groups that read back, in any case and grouping and with letters that are misread', () => {
    for (const key of [Buffer.alloc(32), Buffer.alloc(32, 255), randomBytes(32)]) {
      const written = recoveryKeyOf(key);
      expect(written).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){13}[0-9A-HJKMNP-TV-Z]{4}$/);
      expect(keyOfRecoveryKey(written)).toEqual(key);
      const typed = written.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l');
      expect(keyOfRecoveryKey(` ${typed}\n`)).toEqual(key);
    }
  });

  it('notices each wrong letter and each exchange of neighbours', () => {
    const written = recoveryKeyOf(Buffer.from(`${'5a'.repeat(31)}01`, 'hex')).replaceAll('-', '');
    for (let at = 0; at < written.length; at++) {
      const wrong = written.slice(0, at) + (written[at] === '7' ? '8' : '7') + written.slice(at + 1);
      expect(() => keyOfRecoveryKey(wrong)).toThrow(INVALID);
      const swapped = written.slice(0, at) + (written[at + 1] ?? '') + (written[at] ?? '') + written.slice(at + 2);
      if (swapped !== written) expect(() => keyOfRecoveryKey(swapped)).toThrow(INVALID);
    }
  });

  it('refuses what is no recovery key', () => {
    for (const text of [
      '',
      'AAAA',
      recoveryKeyOf(randomBytes(32)).slice(1),
      `${recoveryKeyOf(randomBytes(32))}0`,
      'U'.repeat(56),
    ])
      expect(() => keyOfRecoveryKey(text)).toThrow(INVALID);
  });
});
