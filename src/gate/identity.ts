import { createHmac, timingSafeEqual } from 'node:crypto';

const MAC_CHARS = 43;
/** The name under which the host itself speaks to the gate; no bot can have it. */
export const HOST_ID = 'host';

/**
 * What proves to the gate which bot speaks: the bot's id and a keyed hash of it, in characters that fit an address and the
 * first line of the sandbox. It derives from the key of the gate, so none is stored.
 */
export function identityOf(key: Buffer, botId: string): string {
  return `${botId}-${createHmac('sha256', key).update(`gate ${botId}`).digest('base64url')}`;
}

/** Whose identity it is; null for one that nobody has. */
export function ownerOf(key: Buffer, identity: string): string | null {
  if (!/^[A-Za-z0-9_-]{45,128}$/.test(identity)) return null;
  const botId = identity.slice(0, -MAC_CHARS - 1);
  const expected = Buffer.from(identityOf(key, botId));
  const given = Buffer.from(identity);
  return expected.length === given.length && timingSafeEqual(expected, given) ? botId : null;
}
