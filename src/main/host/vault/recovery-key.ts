import { createHash } from 'node:crypto';
import { invalid } from '../../../contract/errors.ts';
import { KEY_BYTES } from '../../../node/key-file.ts';

/** Crockford's base 32: no I, L, O or U, which are misread. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CHECK_BYTES = 3;
const GROUP = 4;
const TEXT_DIGITS = ((KEY_BYTES + CHECK_BYTES) * 8) / 5;

const checkOf = (key: Uint8Array): Buffer =>
  createHash('sha256').update('bot-platform recovery key').update(key).digest().subarray(0, CHECK_BYTES);

/** A key as people write it down: 14 groups of four letters and digits, with a checksum. */
export function recoveryKeyOf(key: Uint8Array): string {
  let value = BigInt(`0x${Buffer.concat([key, checkOf(key)]).toString('hex')}`);
  let text = '';
  for (let index = 0; index < TEXT_DIGITS; index++) {
    text = DIGITS.charAt(Number(value % 32n)) + text;
    value /= 32n;
  }
  return (text.match(new RegExp(`.{${GROUP}}`, 'g')) ?? []).join('-');
}

function refuse(message: string, hint: string): never {
  throw invalid('INVALID_REQUEST', [{ path: 'recovery_key', message, hint }]);
}

/** Reads a written recovery key, in any case and grouping. Throws INVALID_REQUEST for one that was misread. */
export function keyOfRecoveryKey(written: string): Buffer {
  const text = written.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  if (text.length !== TEXT_DIGITS || ![...text].every((digit) => DIGITS.includes(digit))) {
    refuse('is no recovery key', `It has ${TEXT_DIGITS / GROUP} groups of ${GROUP} letters and digits.`);
  }
  let value = 0n;
  for (const digit of text) value = value * 32n + BigInt(DIGITS.indexOf(digit));
  const bytes = Buffer.from(value.toString(16).padStart((KEY_BYTES + CHECK_BYTES) * 2, '0'), 'hex');
  const key = bytes.subarray(0, KEY_BYTES);
  if (!checkOf(key).equals(bytes.subarray(KEY_BYTES)))
    refuse('does not fit its checksum', 'Compare it letter by letter.');
  return key;
}
