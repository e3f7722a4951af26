import { looksSecret, mayBeSecret, nameWords } from '../../../../shared/secret-names.ts';
import { memo } from './memo.ts';
import { isProviderName } from './provider-names.ts';

/** Meaning of a name for its value: a secret, a secret if it looks random, the key of a provider if it looks random. */
export interface NameKind {
  readonly isSecret: boolean;
  readonly isMaybe: boolean;
  readonly isProvider: boolean;
  /** True if the last word is `token`. */
  readonly isToken: boolean;
}

/** Length above which a name may be random; names that people choose are shorter, or have longer words on average. */
const LONGEST_CHANCE = 20;
const SHORTEST_WORDS = 3;

/** True for a name that is a signature, an id or a hash, in which `pwd` and similar parts occur by chance. */
export const isChance = (name: string): boolean =>
  name.length > LONGEST_CHANCE && nameWords(name).length * SHORTEST_WORDS > name.length;

export const kindOf = memo((name): NameKind => {
  const isSecret = looksSecret(name);
  return {
    isSecret,
    isMaybe: !isSecret && mayBeSecret(name),
    isProvider: !isSecret && isProviderName(name),
    isToken: /token$/i.test(name),
  };
});
