import { roundDigits, signOfDigits } from '../../shared/exact-digits.ts';

const MINUS = '−';
/** Places of an amount of one unit or more, as money is written. */
const PLACES = 2;
/** Figures of an amount below one unit, which two places would hide. */
const FIGURES = 4;
/** Most places of a price or quantity that is written in full. */
const MOST_PLACES = 12;

function grouped(digits: string, least: number): string {
  const [whole = '0', fraction = ''] = digits.replace('-', '').split('.');
  const filled = fraction.padEnd(least, '0');
  const apart = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return filled === '' ? apart : `${apart}.${filled}`;
}

/** Places to which an amount is rounded for people: two, or as many as show four figures of one below 1. */
function placesOf(digits: string): number {
  const [, zeros] = /^-?0\.(0*)[1-9]/.exec(digits) ?? [];
  return zeros === undefined ? PLACES : Math.max(PLACES, zeros.length + FIGURES);
}

/** An amount of money from its digits: thousands apart, at least two places, rounded half to even. With `signed`, plus is written. */
export function moneyText(digits: string, signed = false): string {
  const rounded = roundDigits(digits, placesOf(digits));
  const sign = signOfDigits(rounded);
  return `${sign < 0 ? MINUS : signed && sign > 0 ? '+' : ''}${grouped(rounded, PLACES)}`;
}

/** A price or quantity from its digits, as exact as it was sent up to twelve places. */
export function digitsText(digits: string): string {
  const rounded = roundDigits(digits, MOST_PLACES);
  return `${rounded.startsWith('-') ? MINUS : ''}${grouped(rounded, 0)}`;
}
