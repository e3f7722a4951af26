import Big from 'big.js';

/** Decimals after the point of a quotient. */
export const QUOTIENT_DECIMALS = 18;
/** Most significant digits of a number that a bot may send. */
export const MOST_DIGITS = 38;
/** A number that a bot sends is below 10 to this power, and its first digit is not farther behind the point. */
export const MOST_MAGNITUDE = 38;
/** Longest text of a number: more than all its digits, zeros and exponent could need. */
const LONGEST_TEXT = 128;

/** A constructor of the ledger's own: its settings concern no other user of the library. */
const Exact = Big();
Exact.DP = QUOTIENT_DECIMALS;
Exact.RM = Big.roundHalfEven;

/** An exact decimal number. Sums, differences and products are exact; quotients have 18 decimals, rounded half to even. */
export type Decimal = Big;

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/;

export const ZERO: Decimal = new Exact(0);
export const ONE: Decimal = new Exact(1);

/** Reads a number by its digits; null for text that is none, has more than 38 significant digits, or is too large or small. */
export function readDecimal(text: string): Decimal | null {
  if (text.length > LONGEST_TEXT || !NUMBER.test(text)) return null;
  const value = new Exact(text.startsWith('+') ? text.slice(1) : text);
  if (value.c.length > MOST_DIGITS || Math.abs(value.e) >= MOST_MAGNITUDE) return null;
  // The library knows -0, which no sum should show.
  return value.eq(ZERO) ? ZERO : value;
}

/** A number with no more decimals than a quotient has, rounded half to even. */
export function quotient(value: Decimal): Decimal {
  return value.round(QUOTIENT_DECIMALS);
}

/** Reads text that decimalText has written. */
export function storedDecimal(text: string): Decimal {
  return new Exact(text);
}

/** The digits of a number without an exponent and without zeros at the end: equal numbers give equal texts. */
export function decimalText(value: Decimal): string {
  return value.eq(ZERO) ? '0' : value.toFixed();
}
