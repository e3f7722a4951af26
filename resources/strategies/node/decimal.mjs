/** Exact decimals with 12 places: a bigint holds so many millionths of a millionth. */

const PLACES = 12;
const ONE = 10n ** 12n;
const NUMBER = /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;

/** Quotient as a whole number; a half goes to the even neighbour. */
function divide(a, b) {
  const negative = a < 0n !== b < 0n;
  const [top, bottom] = [a < 0n ? -a : a, b < 0n ? -b : b];
  const rest = (top % bottom) * 2n;
  let quotient = top / bottom;
  if (rest > bottom || (rest === bottom && quotient % 2n === 1n)) quotient += 1n;
  return negative ? -quotient : quotient;
}

/** A number or text as a decimal. The shortest text of a number has the digits that a person typed. */
export function decimal(value) {
  const [, sign, whole, fraction = '', exponent = '0'] = NUMBER.exec(String(value)) ?? [];
  if (whole === undefined) throw new RangeError(`${value} is no number`);
  const digits = BigInt(whole + fraction);
  const shift = PLACES - fraction.length + Number(exponent);
  const scaled = shift >= 0 ? digits * 10n ** BigInt(shift) : divide(digits, 10n ** BigInt(-shift));
  return sign === '-' ? -scaled : scaled;
}

/** Product; exact where the factors have 12 decimals together. */
export const times = (a, b) => divide(a * b, ONE);

/** Quotient with 12 decimals. */
export const over = (a, b) => divide(a * ONE, b);

/** Rounded to a number of decimals; a half goes to the even neighbour. */
export function rounded(value, decimals) {
  const step = 10n ** BigInt(PLACES - decimals);
  return divide(value, step) * step;
}

/** A value of zero or more, cut off behind a number of decimals. */
export function cutOff(value, decimals) {
  return value - (value % 10n ** BigInt(PLACES - decimals));
}

/** The digits, without zeros at the end. */
export function text(value) {
  const digits = (value < 0n ? -value : value).toString().padStart(PLACES + 1, '0');
  const fraction = digits.slice(-PLACES).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -PLACES)}${fraction === '' ? '' : `.${fraction}`}`;
}
