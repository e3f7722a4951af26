import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalText, readDecimal } from '../../../../../src/main/host/ledger/decimal.ts';
import { digitsOf, isLedgerType, parseExactly } from '../../../../../src/main/host/ledger/vocabulary.ts';

describe('the types of the ledger', () => {
  it('are those of the contract, and no name of a prototype', () => {
    expect(['fill', 'trade', 'portfolio_value', 'signal', 'constructor', 'Fill'].map(isLedgerType)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

/** A number of JSON with up to 30 digits, as a bot might write it. */
const written = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.bigInt({ min: 0n, max: 10n ** 15n }),
    fc.option(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 20 })),
    fc.option(fc.integer({ min: -9, max: 9 })),
  )
  .map(([sign, whole, part, exponent]) => {
    const fraction = part === null ? '' : `.${part.join('')}`;
    return `${sign}${whole}${fraction}${exponent === null ? '' : `e${exponent}`}`;
  });

describe('the JSON of a row', () => {
  it('gives every number by its digits', () => {
    fc.assert(
      fc.property(written, fc.constantFrom('', ' ', '\t'), (text, space) => {
        const object = parseExactly(`{"id":"a:1,2",${space}"value":${space}${text}}`) as object;
        const digits = readDecimal(digitsOf(object, 'value') ?? '');
        const expected = readDecimal(text);
        expect(digits === null ? null : decimalText(digits)).toBe(expected === null ? null : decimalText(expected));
      }),
      { numRuns: 2000 },
    );
  });

  it('leaves everything else as JSON has it', () => {
    const text = '{"a":[1,true,null],"b":"1e5","c":{"d":"x"},"long":123456789012345678901}';
    const { long, a, ...rest } = parseExactly(text) as Record<string, unknown>;
    expect(digitsOf({ long }, 'long')).toBe('123456789012345678901');
    expect(rest).toEqual({ b: '1e5', c: { d: 'x' } });
    expect(a).toHaveLength(3);
    expect(digitsOf({ flag: true }, 'flag')).toBeUndefined();
    expect(digitsOf({}, 'constructor')).toBeUndefined();
  });
});
