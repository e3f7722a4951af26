import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../../../src/contract/errors.ts';
import { createMasker } from '../../../../../src/main/host/logs/mask/masker.ts';
import { openEnvelope } from '../../../../../src/main/host/query/envelope.ts';

const MOST = 64 * 1024;
const SECRET = 'a-secret-of-many-characters';

/** The error text for an answer, and how much of it was masked. */
function told(text: string): { readonly shown: string; readonly masked: number } {
  const masker = createMasker([SECRET]);
  let masked = 0;
  const mask = (part: string): string => {
    masked += part.length;
    return masker.maskText(part);
  };
  try {
    openEnvelope({ status: null, text }, '/x', mask);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return { shown: `${error.message} ${JSON.stringify(error.details)}`, masked };
  }
  throw new Error('it was taken for an answer');
}

const asError = (error: string): string => JSON.stringify({ status: 'error', error });

describe('what a program says in place of an answer', () => {
  it.each([
    ['no envelope', (text: string) => text],
    ['an error', asError],
  ])('is masked no further than it may be shown: %s', (_, answer) => {
    expect(told(answer('password=abc '.repeat(500_000))).masked).toBeLessThanOrEqual(MOST);
  });

  it('shows nothing of a secret that lies where it is cut', () => {
    for (let part = 4; part < SECRET.length; part++) {
      // All before it is masked, so that the place of the cut is shown.
      const text = `password=${'x'.repeat(MOST - 10 - part)} ${SECRET}${' more'.repeat(1000)}`;
      expect(told(asError(text)).shown, `${part} characters`).not.toContain(SECRET.slice(0, 4));
    }
  });

  it('is told whole when it is short, and with its length when it is not', () => {
    expect(told(asError(`no price for ${SECRET}`)).shown).toContain('no price for *** {');
    expect(told(asError('x'.repeat(5000))).shown).toContain('… [cut: 5000 characters in all]');
    expect(told(asError('x'.repeat(100_000))).shown).toContain('… [cut: 100000 characters in all]');
  });
});
