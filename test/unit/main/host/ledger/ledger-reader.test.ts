import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openLedger, openLedgerForReading } from '../../../../../src/main/host/ledger/ledger-database.ts';
import { LedgerReader } from '../../../../../src/main/host/ledger/ledger-reader.ts';
import { LedgerWriter } from '../../../../../src/main/host/ledger/ledger-writer.ts';
import { tempDir } from '../../../../support/temp.ts';

it('shows no bot what an erased book held whose id its own has got', () => {
  const file = join(tempDir('ledger-reader-'), 'ledger.db');
  const db = openLedger(file);
  const reading = openLedgerForReading(file);
  if (reading === null) throw new Error('no ledger');
  const reader = new LedgerReader(reading);
  onTestFinished(() => {
    reader.close();
    db.close();
  });
  const writer = new LedgerWriter(db, 'fifo');
  const bought = (bot: string, quantity: number): void => {
    const fill = { fill_id: 'f1', symbol: 'X', side: 'BUY', quantity, price: 10, currency: 'USD' };
    writer.apply(bot, [{ seq: 1, at: 1, type: 'fill', mode: 'paper', text: JSON.stringify(fill) }], 1);
  };
  const held = (bot: string): unknown => {
    const [book] = reader.books(bot);
    if (book === undefined) throw new Error('no book');
    return [book.id, reader.holdings(book).held('', 'X', 'net').toFixed()];
  };
  bought('bot_1', 5);
  expect(held('bot_1')).toEqual([1, '5']);
  writer.erase('bot_1', { at: 1, user: 'user_1' }, 1);
  bought('bot_2', 7);
  expect(held('bot_2')).toEqual([1, '7']);
});
