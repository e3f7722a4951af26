/**
 * Exact arithmetic on decimal numbers as the ledger writes them: digits with an optional minus and point, without exponent.
 * Nothing here goes through a float.
 */

interface Scaled {
  readonly units: bigint;
  /** Digits behind the point. */
  readonly places: number;
}

function scaled(digits: string): Scaled {
  const point = digits.indexOf('.');
  return point === -1
    ? { units: BigInt(digits), places: 0 }
    : { units: BigInt(digits.slice(0, point) + digits.slice(point + 1)), places: digits.length - point - 1 };
}

function written({ units, places }: Scaled): string {
  const sign = units < 0n ? '-' : '';
  const all = (units < 0n ? -units : units).toString().padStart(places + 1, '0');
  const whole = all.slice(0, all.length - places);
  const fraction = all.slice(all.length - places).replace(/0+$/, '');
  const text = fraction === '' ? whole : `${whole}.${fraction}`;
  return text === '0' ? '0' : `${sign}${text}`;
}

const raised = ({ units, places }: Scaled, to: number): bigint => units * 10n ** BigInt(to - places);

/** The exact sum of numbers; '0' of none. */
export function sumDigits(all: Iterable<string>): string {
  let sum: Scaled = { units: 0n, places: 0 };
  for (const digits of all) {
    const next = scaled(digits);
    const places = Math.max(sum.places, next.places);
    sum = { units: raised(sum, places) + raised(next, places), places };
  }
  return written(sum);
}

/**
 * Numbers as whole multiples of one fraction, so that many of them can be added and compared at the speed of integers; `write` gives
 * the digits of such a multiple.
 */
export function inOneUnit(all: readonly string[]): {
  readonly units: readonly bigint[];
  readonly write: (units: bigint) => string;
} {
  const numbers = all.map(scaled);
  const places = numbers.reduce((most, number) => Math.max(most, number.places), 0);
  return { units: numbers.map((number) => raised(number, places)), write: (units) => written({ units, places }) };
}

/** The number with the other sign. */
export function negateDigits(digits: string): string {
  if (signOfDigits(digits) === 0) return digits;
  return digits.startsWith('-') ? digits.slice(1) : `-${digits}`;
}

/** -1, 0 or 1. */
export function signOfDigits(digits: string): -1 | 0 | 1 {
  if (!/[1-9]/.test(digits)) return 0;
  return digits.startsWith('-') ? -1 : 1;
}

/** Negative where the first number is smaller, positive where it is bigger. */
export function compareDigits(one: string, other: string): -1 | 0 | 1 {
  return signOfDigits(sumDigits([one, negateDigits(other)]));
}

/** The number with at most so many digits behind the point, half to even. */
export function roundDigits(digits: string, places: number): string {
  const number = scaled(digits);
  if (number.places <= places) return written(number);
  const divisor = 10n ** BigInt(number.places - places);
  const size = number.units < 0n ? -number.units : number.units;
  const whole = size / divisor;
  const rest = (size % divisor) * 2n;
  const up = rest > divisor || (rest === divisor && whole % 2n === 1n);
  const rounded = whole + (up ? 1n : 0n);
  return written({ units: number.units < 0n ? -rounded : rounded, places });
}
