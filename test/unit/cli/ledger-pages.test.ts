import { expect, it } from 'vitest';
import type { Arguments } from '../../../src/cli/command.ts';
import { ledgerPages } from '../../../src/cli/ledger-pages.ts';

const given = (limit: number | undefined, all: boolean): Arguments => ({
  positionals: [],
  text: () => undefined,
  flag: (option) => option === 'all' && all,
  integer: () => limit,
});
const ANSWERS = [{ older_before: '5-1' }, { older_before: '3-1' }, { older_before: null }];

async function asked(args: Arguments): Promise<unknown[]> {
  const pages: unknown[] = [];
  const found = await ledgerPages(args, async (page) => {
    pages.push(page);
    return ANSWERS[pages.length - 1] ?? { older_before: null };
  });
  expect(found).toHaveLength(pages.length);
  return pages;
}

it('reads one page of so many rows, and with --all every page to the oldest', async () => {
  expect(await asked(given(undefined, false))).toEqual([{}]);
  expect(await asked(given(7, false))).toEqual([{ limit: 7 }]);
  expect(await asked(given(7, true))).toEqual([
    { limit: 1000 },
    { limit: 1000, before: '5-1' },
    { limit: 1000, before: '3-1' },
  ]);
});
