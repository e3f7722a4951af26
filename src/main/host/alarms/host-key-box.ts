import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { SecretBox } from './sealed-settings.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORM = 'k1.';

/** Seals by AES-256-GCM under a key that is derived from the key of the data folder, which is in no backup. */
export function hostKeyBox(hostKey: string): SecretBox {
  const key = Buffer.from(hkdfSync('sha256', hostKey, '', 'settings of alarm channels', 32));
  return {
    seal(recordId, text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      cipher.setAAD(Buffer.from(recordId));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return FORM + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
    },
    open(recordId, sealed) {
      if (!sealed.startsWith(FORM)) return undefined;
      const bytes = Buffer.from(sealed.slice(FORM.length), 'base64');
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(recordId));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString(
          'utf8',
        );
      } catch {
        // Another key, or not what was sealed.
        return undefined;
      }
    },
  };
}
