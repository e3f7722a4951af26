import { createHmac } from 'node:crypto';
import type { JsonObject } from '../../../contract/common.ts';
import type { Permits } from '../../../contract/permits.ts';
import type { SecretClass } from '../../../contract/secrets.ts';
import { stableStringify } from '../../../shared/json.ts';
import type { ArmedHashes } from '../control/arming-store.ts';
import { type GuardSpec, isAlike, isLooser } from '../guards/guard-spec.ts';

/** What a person arms: what a program would be started with, and what limits it. */
export interface ArmedSubject {
  /** Of the content of the version's package. */
  readonly versionHash: string;
  /**
   * With references to secrets in place of their values. With the version, which holds the defaults, it determines the effective
   * config, whatever a later release does to fill defaults in.
   */
  readonly config: JsonObject;
  /** The secrets to which it refers, by name; a value may rotate. */
  readonly secrets: readonly { readonly name: string; readonly class: SecretClass }[];
  readonly permits: Permits | null;
}

/** Number of the way in which hashes are made here. Another way gets another number, and this one stays as it is. */
export const ALGORITHM = 1;

/** Keyed, because a config may hold values that a reader of the database could guess one by one. */
const hashOf = (key: string, what: string, value: unknown): string =>
  createHmac('sha256', key).update(`arming ${ALGORITHM} ${what}\n`).update(stableStringify(value)).digest('hex');

/** The hashes of a subject; `key` belongs to the data folder. */
export function hashesOf(key: string, { versionHash, config, secrets, permits }: ArmedSubject): ArmedHashes {
  const byName = [...secrets].sort((one, other) => (one.name < other.name ? -1 : 1));
  return {
    algorithm: ALGORITHM,
    versionHash: hashOf(key, 'version', versionHash),
    configHash: hashOf(key, 'config', [config, byName.map((one) => [one.name, one.class])]),
    permitsHash: hashOf(key, 'permits', permits),
  };
}

/** What differs between what was armed and what would be started. */
export type Difference = 'version' | 'config' | 'permits';

/** Everything that differs; hashes of another algorithm have everything in common with nothing. */
export function differences(armed: ArmedHashes, now: ArmedHashes): readonly Difference[] {
  const isOther = armed.algorithm !== now.algorithm;
  return [
    ...(isOther || armed.versionHash !== now.versionHash ? (['version'] as const) : []),
    ...(isOther || armed.configHash !== now.configHash ? (['config'] as const) : []),
    ...(isOther || armed.permitsHash !== now.permitsHash ? (['permits'] as const) : []),
  ];
}

/** True if a guard that the bot had when it was armed is gone, or lets more pass than it did. */
export function hasLooserGuards(armed: readonly GuardSpec[], now: readonly GuardSpec[]): boolean {
  return armed.some((before) => {
    const present = now.find((one) => isAlike(one, before));
    return present === undefined || isLooser(before, present);
  });
}
