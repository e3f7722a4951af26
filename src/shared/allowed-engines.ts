import type { HostInfo } from '../contract/host.ts';
import { isBelow } from '../contract/isolation.ts';

/** Why not every engine is offered. */
export const OTHERS_ISOLATE_LESS = 'Other engines isolate less than this host demands.';

/** Why no engine of a host can run a bot now, and what to do; null when one can. */
export function noEngine({ engines, least_isolation }: Pick<HostInfo, 'engines' | 'least_isolation'>): string | null {
  const enough = engines.filter(({ level }) => !isBelow(level, least_isolation));
  if (enough.some(({ available }) => available)) return null;
  const reasons = enough.map(({ name, reason }) => `engine ${name}: ${reason ?? 'it does not answer'}`);
  const remedies = enough.flatMap(({ remedy }) => (remedy === null ? [] : [`${remedy}, or`]));
  const way = remedies.length === 0 ? 'Allow' : `${remedies.join(' ')} allow`;
  const why = reasons.length === 0 ? 'no engine isolates that much' : reasons.join('; ');
  return `No bot can be deployed or started: this host demands isolation "${least_isolation}" (${why}). ${way} less: \`platform start --engine auto\`.`;
}

/** Names of the engines that isolate as much as a host demands: no other one is given to a bot there. */
export function allowedEngines({ engines, least_isolation }: Pick<HostInfo, 'engines' | 'least_isolation'>): string[] {
  return engines.filter(({ level }) => !isBelow(level, least_isolation)).map(({ name }) => name);
}
