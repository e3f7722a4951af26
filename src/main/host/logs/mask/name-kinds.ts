import { looksSecret, mayBeSecret, nameWords } from '../../../../shared/secret-names.ts';
import { memo } from './memo.ts';
import { isProviderName } from './provider-names.ts';

/** What a name says of its value: a secret, one if it looks random, the key of a provider if it looks random. */
export interface NameKind {
  readonly isSecret: boolean;
  readonly isMaybe: boolean;
  readonly isProvider: boolean;
  /** The last word is `token`. */
  readonly isToken: boolean;
}

/** Names that people give are shorter, or their words are longer than that on average. */
const LONGEST_CHANCE = 20;
const SHORTEST_WORDS = 3;

/** Whether a name is a signature, an id or a hash, in which `pwd` and the like stand by chance. */
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
