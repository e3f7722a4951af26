import { z } from 'zod';
import { InCurrency, Ledger, LedgerDay, LedgerZone } from './ledger.ts';

/** Asks for the books of all bots. */
export const LedgerListQuery = z
  .strictObject({
    by: z.enum(['day', 'symbol', 'account']).optional().meta({ description: 'One sum for each; left out: for all' }),
    from: LedgerDay.optional(),
    to: LedgerDay.optional(),
    zone: LedgerZone.optional(),
    in: InCurrency.optional(),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ['from'],
    error: 'must not be after `to`',
  });
export type LedgerListQuery = z.infer<typeof LedgerListQuery>;

/** The books of the bots that have any. Nothing is added up over bots: amounts of two modes or currencies are never one sum. */
export const LedgerList = z.object({
  items: z.array(Ledger),
  rate_currencies: z.array(z.string()).meta({ description: 'What rates of bots name: currencies to convert into' }),
});
export type LedgerList = z.infer<typeof LedgerList>;
