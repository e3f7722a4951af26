import { expect, it } from 'vitest';
import { type ChangedBook, LedgerChanges } from '../../../../../src/main/host/logs/ledger-changes.ts';
import { LedgerWatchers } from '../../../../../src/main/host/logs/ledger-watchers.ts';

it('tells of changed books once a second, each once, and only while somebody watches', () => {
  const told: (readonly ChangedBook[])[] = [];
  const changes = new LedgerChanges((changed) => told.push(changed));
  changes.add({ botId: 'a', booked: true });
  changes.tick(0);
  changes.watch(true);
  changes.add({ botId: 'a', booked: false });
  changes.add({ botId: 'b', booked: true });
  changes.add({ botId: 'b', booked: false });
  changes.tick(10);
  changes.add({ botId: 'a', booked: true });
  changes.tick(900);
  expect(told).toEqual([
    [
      { botId: 'a', booked: false },
      { botId: 'b', booked: true },
    ],
  ]);
  changes.tick(1010);
  changes.tick(5000);
  expect(told.slice(1)).toEqual([[{ botId: 'a', booked: true }]]);
});

it('is watched while there is anybody to tell, each of whom may go at any time', () => {
  const watched: boolean[] = [];
  const watchers = new LedgerWatchers((isWatched) => watched.push(isWatched));
  const heard: string[] = [];
  const first = watchers.add((changed) => {
    heard.push(`first ${changed?.length ?? 'all'}`);
    first();
  });
  const second = watchers.add((changed) => heard.push(`second ${changed?.length ?? 'all'}`));
  watchers.tell([{ botId: 'a', booked: true }]);
  watchers.tell(null);
  expect(heard).toEqual(['first 1', 'second 1', 'second all']);
  second();
  second();
  expect(watched).toEqual([true, false]);
});
