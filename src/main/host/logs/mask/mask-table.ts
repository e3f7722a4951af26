import { KEY_WORDS } from './key-value.ts';
import { KeywordAutomaton, type Signs } from './keyword-automaton.ts';
import type { MaskRule } from './mask-rule.ts';
import { PEM_KEYWORD } from './pem.ts';
import { MASK_RULES } from './rules.ts';
import { type Form, gateWord } from './value-forms.ts';
import { WordIndex } from './word-index.ts';

export interface Rule extends MaskRule {
  readonly pattern: RegExp;
  readonly isBefore: RegExp | null;
}

/** Secrets that may begin with a word: by rules, as a named value, or as a PEM block. */
export interface Shape {
  readonly rules: readonly Rule[];
  readonly isKey: boolean;
  readonly isPem: boolean;
}

/** Meanings of the words of a keyword automaton: first those of the values, then those of the rules. */
export interface MaskTable {
  readonly automaton: KeywordAutomaton;
  readonly forms: readonly (readonly Form[])[];
  readonly shapes: readonly Shape[];
}

/** A letter beyond ASCII. */
const WORD = /[^\0-\x7f]/;
const NONE: readonly never[] = [];

/** The rules, which all tables share. */
interface Rules {
  readonly index: WordIndex;
  readonly shapes: readonly Shape[];
}

let ofRules: Rules | null = null;

function compileRules(): Rules {
  const rules = MASK_RULES.map(
    (rule): Rule => ({
      ...rule,
      pattern: new RegExp(rule.source, `y${rule.flags}`),
      isBefore: rule.before === undefined ? null : new RegExp(rule.before),
    }),
  );
  const pairs = rules.flatMap((rule) => rule.keywords.map((word) => ({ word, rule })));
  const byWord = Map.groupBy(pairs, ({ word }) => word);
  const keys = new Set(KEY_WORDS);
  const words = [...new Set([...byWord.keys(), ...keys, PEM_KEYWORD])];
  const shapes = words.map((word) => ({
    rules: byWord.get(word)?.map(({ rule }) => rule) ?? NONE,
    isKey: keys.has(word),
    isPem: word === PEM_KEYWORD,
  }));
  // Words that only begin tokens.
  const isStart = ({ rules, isKey, isPem }: Shape): boolean =>
    !isKey && !isPem && rules.every(({ begins }) => begins !== undefined);
  return { index: new WordIndex(words, (word) => shapes[word] !== undefined && isStart(shapes[word])), shapes };
}

/** Returns the signs to search for. A value in another script may be hidden where no ASCII letter stands. */
function signsOf(forms: readonly Form[]): Signs {
  if (forms.length === 0) return 'none';
  return forms.some((form) => typeof form === 'string' && WORD.test(form)) ? 'all' : 'in words';
}

/** Compiles these forms of secret values and the rules into one table. */
export function compileTable(forms: readonly Form[]): MaskTable {
  ofRules ??= compileRules();
  const { index, shapes } = ofRules;
  const byWord = Map.groupBy(forms, gateWord);
  return {
    automaton: new KeywordAutomaton([new WordIndex([...byWord.keys()]), index], signsOf(forms)),
    // Copied, because a list that grew has more capacity than it needs.
    forms: Array.from(byWord.values(), (some) => [...some]),
    shapes,
  };
}
