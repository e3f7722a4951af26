import type { LedgerProblem } from '../../../../contract/ledger.ts';

/** Why a row is in no sum, and what its author can do about it (docs/ledger.md#corrections). */
export const PROBLEM_WORDS: Readonly<
  Record<LedgerProblem['reason'], { readonly title: string; readonly todo: string }>
> = {
  refused: {
    title: 'A field has a wrong value',
    todo: 'Correct the bot, and let it write the row again with the same id.',
  },
  conflict: {
    title: 'Two rows have the same id',
    todo: 'The first counts. If the second is right, write it with an id of its own and the first id in revises.',
  },
  not_booked: {
    title: 'It does not fit what is held',
    todo: 'Write what the bot held before as an opening, or correct the row with revises.',
  },
  waiting: {
    title: 'It corrects a row that has not come',
    todo: 'It is booked as soon as that row comes. Look whether venue, account and symbol are those of the fill.',
  },
};
