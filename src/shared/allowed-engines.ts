import type { HostInfo } from '../contract/host.ts';
import { isBelow } from '../contract/isolation.ts';

/** Reason for offering only some engines. */
export const OTHERS_ISOLATE_LESS = 'Other engines isolate less than this host demands.';

/** Returns the reason why no engine of a host can run a bot now, with the remedy; null when one can. */
export function noEngine({ engines, least_isolation }: Pick<HostInfo, 'engines' | 'least_isolation'>): string | null {
  const enough = engines.filter(({ level }) => !isBelow(level, least_isolation));
  if (enough.some(({ available }) => available)) return null;
  const reasons = enough.map(({ name, reason }) => `engine ${name}: ${reason ?? 'it does not answer'}`);
  const remedies = enough.flatMap(({ remedy }) => (remedy === null ? [] : [`${remedy}, or`]));
  const way = remedies.length === 0 ? 'Allow' : `${remedies.join(' ')} allow`;
  const why = reasons.length === 0 ? 'no engine isolates that much' : reasons.join('; ');
  return `No bot can be deployed or started: this host demands isolation "${least_isolation}" (${why}). ${way} less: \`platform start --engine auto\`.`;
}

/** Names of the engines that isolate as much as a host demands; bots there get no other engine. */
export function allowedEngines({ engines, least_isolation }: Pick<HostInfo, 'engines' | 'least_isolation'>): string[] {
  return engines.filter(({ level }) => !isBelow(level, least_isolation)).map(({ name }) => name);
}
