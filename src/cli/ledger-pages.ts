import { LIMITS } from '../contract/limits.ts';
import type { Arguments, OptionSpec } from './command.ts';

/** Options of a command that lists rows of the ledger page by page. */
export const PAGE_OPTIONS = {
  limit: { type: 'string', short: 'n', value: 'N', help: 'At most N of each bot (default 100)' },
  all: { type: 'boolean', help: 'All there are, however many' },
} satisfies Readonly<Record<string, OptionSpec>>;

interface Page {
  readonly older_before: string | null;
}

/** The first page of so many rows, or with --all every page. */
export async function ledgerPages<P extends Page>(
  args: Arguments,
  read: (page: { readonly limit?: number; readonly before?: string }) => Promise<P>,
): Promise<readonly P[]> {
  const limit = args.integer('limit', 1, LIMITS.logsMax);
  if (!args.flag('all')) return [await read(limit === undefined ? {} : { limit })];
  const pages: P[] = [];
  for (let before: string | null | undefined; before !== null; ) {
    const page: P = await read({ limit: LIMITS.logsMax, ...(before === undefined ? {} : { before }) });
    pages.push(page);
    before = page.older_before;
  }
  return pages;
}
