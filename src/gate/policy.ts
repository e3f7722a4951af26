import { z } from 'zod';
import { NetworkPermit } from '../contract/permits.ts';
import { permitLine } from '../shared/permit-words.ts';
import { addressKind } from './address.ts';
import { type Destination, written } from './destination.ts';

/**
 * What the gate does with connections of a bot. `enforce` refuses what no permit allows, `observe` refuses nothing and records
 * everything.
 */
export const GateMode = z.enum(['observe', 'enforce']);
export type GateMode = z.infer<typeof GateMode>;

/** The part of a bot's permits by which the gate decides, as the host stores it for the gate. */
export const Policy = z.object({
  mode: GateMode,
  network: z.array(NetworkPermit),
  local: z.array(z.number()),
  /** Addresses of the host itself that every bot may reach, `127.0.0.1:4747` for its price feed. */
  exempt: z.array(z.string()),
});
export type Policy = z.infer<typeof Policy>;

/** Allowed, or why not in words for the author of the bot. */
export type Verdict =
  | { readonly isAllowed: true; readonly isTls: boolean; readonly mayBeLocal: boolean }
  | { readonly isAllowed: false; readonly why: string };

/** True where a permit covers a name. `*.` stands for exactly one label. */
export function covers(pattern: string, host: string): boolean {
  if (!pattern.startsWith('*.')) return pattern === host;
  const rest = pattern.slice(1);
  const label = host.slice(0, -rest.length);
  return host.endsWith(rest) && label !== '' && !label.includes('.');
}

/**
 * True for a name that no name server of the public DNS is asked for. Looking up any other one tells its owner what the name
 * says, so a `local` port alone does not suffice for it.
 */
function isLocalName(host: string): boolean {
  return !host.includes('.') || /\.(?:localhost|local|lan|internal|home\.arpa)$/.test(host);
}

/** What the permits say of a destination, before its name is resolved. */
export function judge({ network, local, exempt }: Policy, to: Destination): Verdict {
  if (exempt.includes(written(to))) return { isAllowed: true, isTls: false, mayBeLocal: true };
  const isLocalPort = local.includes(to.port);
  if (to.isAddress) {
    const kind = addressKind(to.host);
    if (kind === 'local' && isLocalPort) return { isAllowed: true, isTls: false, mayBeLocal: true };
    if (kind === 'never') return { isAllowed: false, why: `${written(to)} can be allowed to no bot` };
    const next = kind === 'local' ? `add to bot-config.yaml below permits: local: [${to.port}]` : 'use its name';
    return { isAllowed: false, why: `${written(to)} is a bare address: ${next}` };
  }
  const permit = network.find(({ host, port }) => port === to.port && covers(host, to.host));
  if (permit !== undefined) return { isAllowed: true, isTls: permit.tls, mayBeLocal: isLocalPort };
  if (isLocalPort && isLocalName(to.host)) return { isAllowed: true, isTls: false, mayBeLocal: true };
  return { isAllowed: false, why: `no permit covers ${written(to)}; add to permits.network: ${lineFor(to)}` };
}

/** The line of bot-config.yaml that allows a name. */
export const lineFor = ({ host, port }: Destination): string => permitLine({ host, port, tls: port !== 80 });

/**
 * What the permits say of the addresses that a name has: one private address among them refuses all. Null where it may go
 * on.
 */
export function judgeAddresses(
  { network, exempt }: Policy,
  to: Destination,
  addresses: readonly string[],
  mayBeLocal: boolean,
): string | null {
  if (exempt.includes(written(to))) return null;
  const kinds = addresses.map(addressKind);
  const shown = addresses.slice(0, 4).join(', ');
  if (kinds.includes('never')) return `${to.host} has an address that can be allowed to no bot (${shown})`;
  if (kinds.includes('local') && !mayBeLocal)
    return `${to.host} leads to this machine or its local network (${shown}); add to permits: local: [${to.port}]`;
  const isNamed = network.some(({ host, port }) => port === to.port && covers(host, to.host));
  if (kinds.includes('public') && !isNamed && !to.isAddress)
    return `no permit covers ${written(to)}; add to permits.network: ${lineFor(to)}`;
  return null;
}
