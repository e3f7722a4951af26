import { createHash } from 'node:crypto';

/**
 * Text of so many characters that compression makes no shorter than three quarters, the same for the same number: lines of
 * it fill segments and disks.
 */
export function noise(number: number, length: number): string {
  let text = '';
  for (let part = 0; text.length < length; part++) {
    text += createHash('sha512').update(`${number} ${part}`).digest('base64');
  }
  return text.slice(0, length);
}
