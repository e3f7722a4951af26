import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Seals texts at rest; `recordId` binds a sealed text to its record, so that it opens nowhere else. */
export interface SecretBox {
  /** Throws SECRETS_SEALED if this host does not have the key. */
  seal(recordId: string, text: string): string;
  /** The text; undefined if this host does not have the key, or the sealed text was changed. */
  open(recordId: string, sealed: string): string | undefined;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Form, key id, then nonce, tag and text in base64. */
const SEALED = /^v1\.([0-9a-f]{16})\.([A-Za-z0-9+/]+={0,2})$/;

/** Seals a text by AES-256-GCM, with the record as associated data. */
export function sealWith(keyId: string, key: Uint8Array, recordId: string, text: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(recordId));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `v1.${keyId}.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')}`;
}

/** The id of the key that a text is sealed with; undefined for what is no sealed text. */
export const sealedUnder = (sealed: string): string | undefined => SEALED.exec(sealed)?.[1];

/** Opens nonce, tag and sealed text, in this order; undefined if the key or the record is another, or a byte was changed. */
export function openBytes(key: Uint8Array, recordId: string, bytes: Buffer): string | undefined {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(recordId));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const sealed = bytes.subarray(NONCE_BYTES + TAG_BYTES);
  try {
    return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8');
  } catch {
    // Authentication failed: there is no text to give.
    return undefined;
  }
}

/** Opens a sealed text with the key that `keyOf` finds for it. */
export function openWith(
  keyOf: (keyId: string) => Uint8Array | null,
  recordId: string,
  sealed: string,
): string | undefined {
  const [, keyId = '', base64 = ''] = SEALED.exec(sealed) ?? [];
  const key = keyId === '' ? null : keyOf(keyId);
  return key === null ? undefined : openBytes(key, recordId, Buffer.from(base64, 'base64'));
}
