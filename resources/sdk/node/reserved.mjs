import { metric } from './output.mjs';

/** Whole numbers beyond this lose digits in programs that read JSON numbers as floats; they go out as text. */
const MOST_EXACT = BigInt(Number.MAX_SAFE_INTEGER);
const MOST_DIGITS = 38;
const LONGEST_NUMBER = 128;
const NUMBER = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?$/;
const CURRENCY = /^[A-Za-z0-9._:-]{1,32}$/;
const CONTROL = /[\p{Cc}\p{Cs}]/u;

/** What a check found wrong with the field; put behind its name. */
class Wrong extends Error {}

/** A bigint as JSON can hold it. */
function whole(value) {
  if (typeof value !== 'bigint') return value;
  return value <= MOST_EXACT && value >= -MOST_EXACT ? Number(value) : String(value);
}

function significantDigits(text) {
  const digits = text.replace(/[eE].*$/, '').replace(/[^0-9]/g, '');
  return digits.replace(/^0+/, '').replace(/0+$/, '').length;
}

function decimal(value) {
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
  const isNumber =
    typeof text === 'string' &&
    text.length <= LONGEST_NUMBER &&
    NUMBER.test(text) &&
    significantDigits(text) <= MOST_DIGITS;
  if (!isNumber) {
    throw new Wrong(`must be a number, or its digits as text, with at most ${MOST_DIGITS} significant digits`);
  }
  return whole(value);
}

function positive(value) {
  const given = decimal(value);
  const text = String(given);
  if (text.startsWith('-') || significantDigits(text) === 0) throw new Wrong('must be greater than 0');
  return given;
}

function isText(value, longest) {
  return typeof value === 'string' && value !== '' && [...value].length <= longest && !CONTROL.test(value);
}

function text(longest) {
  return (value) => {
    if (!isText(value, longest))
      throw new Wrong(`must be text of 1 to ${longest} characters without control characters`);
    return value;
  };
}

function id(value) {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return whole(value);
  if (!isText(value, 256)) throw new Wrong('must be text of 1 to 256 characters, or a whole number');
  return value;
}

function currency(value) {
  if (typeof value !== 'string' || !CURRENCY.test(value)) {
    throw new Wrong('must have 1 to 32 letters, digits, or signs of . _ : -');
  }
  return value;
}

function time(value) {
  const given = value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : value;
  if (Number.isFinite(given) || isText(given, 64)) return given;
  throw new Wrong('must be ISO text, or seconds or milliseconds since 1970');
}

function flag(value) {
  if (typeof value !== 'boolean') throw new Wrong('must be true or false');
  return value;
}

function oneOf(...words) {
  return (value) => {
    if (!words.includes(value)) throw new Wrong(`must be one of ${words.join(', ')}`);
    return value;
  };
}

const symbol = text(128);
const side = oneOf('BUY', 'SELL');
const positionSide = oneOf('net', 'long', 'short');
const place = { venue: text(64), account: text(64) };

/** Fields of each reserved type: the required ones in front, then the optional ones. */
const TYPES = {
  order: [
    {
      client_order_id: id,
      symbol,
      side,
      quantity: positive,
      status: oneOf('new', 'accepted', 'partially_filled', 'filled', 'cancelled', 'rejected', 'expired'),
    },
    { type: text(64), price: decimal, decision_id: id, leg: id, reason: text(1000), currency, time, ...place },
  ],
  fill: [
    { fill_id: id, symbol, side, quantity: positive, price: decimal },
    {
      client_order_id: id,
      fee: decimal,
      fee_currency: currency,
      currency,
      base: currency,
      multiplier: positive,
      contract: oneOf('spot', 'linear', 'inverse', 'option'),
      position_side: positionSide,
      realised: decimal,
      revises: id,
      cancelled: flag,
      time,
      ...place,
    },
  ],
  position: [
    { symbol, quantity: decimal },
    { average_price: decimal, price: decimal, value: decimal, currency, position_side: positionSide, ...place },
  ],
  equity: [{ value: decimal }, { currency, ...place }],
  cash_flow: [
    {
      flow_id: id,
      amount: decimal,
      currency,
      kind: oneOf(
        'deposit',
        'withdrawal',
        'funding',
        'interest',
        'dividend',
        'fee',
        'rebate',
        'borrow',
        'tax',
        'other',
      ),
    },
    { symbol, fill_id: id, time, ...place },
  ],
  adjustment: [
    {
      adjustment_id: id,
      symbol,
      kind: oneOf('opening', 'split', 'transfer', 'reward', 'dust', 'conversion', 'expiry', 'exercise', 'assignment'),
      quantity: decimal,
    },
    { ratio: positive, cost: decimal, currency, time, ...place },
  ],
  rate: [
    { base: currency, quote: currency, value: positive },
    { time, ...place },
  ],
  price: [
    { symbol, value: decimal },
    { currency, ...place },
  ],
  signal: [
    { type: side, symbol },
    { price: decimal, confidence: decimal, reason: text(1000), currency },
  ],
};

/** Names of the fields that a row must have. A fill that is taken back needs no trade. */
function requiredOf(type, fields) {
  if (type === 'fill' && fields.cancelled === true) return ['fill_id', 'symbol', 'revises'];
  const names = Object.keys(TYPES[type][0]);
  return type === 'adjustment' && fields.kind === 'split' ? [...names, 'ratio'] : names;
}

/** Emits a row of a reserved type. Fields that are null are left out; unknown fields are kept. Throws a TypeError. */
function emit(type, fields) {
  if (typeof fields !== 'object' || fields === null) throw new TypeError(`${type} needs an object of fields`);
  const [required, optional] = TYPES[type];
  const checks = new Map(Object.entries({ ...required, ...optional }));
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
  const missing = requiredOf(type, given).find((name) => !Object.hasOwn(given, name));
  if (missing !== undefined) throw new TypeError(`${type} needs \`${missing}\``);
  for (const [name, check] of checks) {
    if (!Object.hasOwn(given, name)) continue;
    try {
      given[name] = check(given[name]);
    } catch (failure) {
      if (!(failure instanceof Wrong)) throw failure;
      throw new TypeError(`\`${name}\` of ${type} ${failure.message}`);
    }
  }
  metric(type, given);
}

/** Reports an order and its status. */
export const order = (fields) => emit('order', fields);
/** Reports a trade, corrects one (`revises`), or takes one back (`revises` and `cancelled: true`). */
export const fill = (fields) => emit('fill', fields);
/** Reports what is held of a symbol; `quantity` is negative for a short position. */
export const position = (fields) => emit('position', fields);
/** Reports what the account is worth. */
export const equity = (fields) => emit('equity', fields);
/** Reports money that came (positive) or went (negative). */
export const cashFlow = (fields) => emit('cash_flow', fields);
/** The name of cashFlow() that is the same in the SDKs of all languages. */
export { cashFlow as cash_flow };
/** Reports a change of a holding that is no trade. */
export const adjustment = (fields) => emit('adjustment', fields);
/** Reports that one unit of `base` is worth `value` units of `quote`. */
export const rate = (fields) => emit('rate', fields);
/** Reports the price of a symbol. */
export const price = (fields) => emit('price', fields);
/** Reports a decision to buy or sell, which charts show as a mark. */
export const signal = (fields) => emit('signal', fields);
