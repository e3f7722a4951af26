import { isIP } from 'node:net';
import type { NetworkPermit } from '../../../contract/permits.ts';
import { covers } from '../../../gate/policy.ts';
import { MASK } from '../logs/mask/spans.ts';

/** Masks a text that names a host which a bot has asked for. */
export type HostMasking = (text: string, host: string) => string;

/**
 * Masks, besides, each name that no permit covers: for a bot whose secrets cannot be opened, because such a name may hold one of them.
 */
export function hidingNames(permits: readonly NetworkPermit[], mask: HostMasking): HostMasking {
  return (text, host) => {
    const isShown = isIP(host) !== 0 || permits.some((permit) => covers(permit.host, host));
    return mask(isShown || host === '' ? text : text.replaceAll(host, MASK), host);
  };
}
