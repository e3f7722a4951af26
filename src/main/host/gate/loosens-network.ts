import { NETWORK_MODES, type NetworkMode } from '../../../contract/network.ts';
import type { NetworkPermit, Permits } from '../../../contract/permits.ts';
import { covers } from '../../../gate/policy.ts';
import type { NetworkUse } from '../engine/engine.ts';

/** What the network of a bot comes to. */
export interface NetworkReach {
  readonly mode: NetworkMode;
  readonly use: NetworkUse;
  /** What its version asks for; null where it does not say. */
  readonly permits: Permits | null;
}

/** Strictest last. */
const USES: readonly NetworkUse[] = ['own', 'machine', 'gate', 'none'];

/** The one of these that lets most pass. */
export function loosestUse(first: NetworkUse, ...more: readonly NetworkUse[]): NetworkUse {
  return more.reduce((loosest, use) => (USES.indexOf(use) < USES.indexOf(loosest) ? use : loosest), first);
}

/** Whether a destination must be TLS, by the first permit that covers it, as the gate reads them; undefined where none does. */
export function tlsOf(permits: readonly NetworkPermit[], { host, port }: NetworkPermit): boolean | undefined {
  return permits.find((permit) => permit.port === port && covers(permit.host, host))?.tls;
}

/** True if permits allow a connection that the ones before them did not. */
function allowsMore(before: Permits | null, after: Permits | null): boolean {
  const known = before?.network ?? [];
  const wanted = after?.network ?? [];
  // `*.x` covers itself, and so stands for every name below x that no permit spells out.
  const widens = [...known, ...wanted].some((at) => {
    const [was, is] = [tlsOf(known, at), tlsOf(wanted, at)];
    return is !== undefined && (was === undefined || (was && !is));
  });
  return widens || (after?.local ?? []).some((port) => before?.local?.includes(port) !== true);
}

/** True if a change lets a bot that is held to its permits pass more, or lowers its mode. */
export function loosensNetwork(before: NetworkReach, after: NetworkReach): boolean {
  if (NETWORK_MODES.indexOf(after.mode) < NETWORK_MODES.indexOf(before.mode)) return true;
  if (before.mode !== 'enforce') return false;
  return USES.indexOf(after.use) < USES.indexOf(before.use) || allowsMore(before.permits, after.permits);
}
