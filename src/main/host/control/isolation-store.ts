import { IsolationLevel } from '../../../contract/isolation.ts';
import type { ControlDatabase } from './control-database.ts';

const NAME = 'least_isolation';

/** The least isolation that a control database demands; `none` by default. */
export function storedLeastIsolation(db: ControlDatabase): IsolationLevel {
  const row = db.prepare<[string], { value: string }>('select value from setting where name = ?').get(NAME);
  return row === undefined ? 'none' : IsolationLevel.parse(row.value);
}

/** Stores the least isolation; it holds for every later start of the host that does not name another. */
export function storeLeastIsolation(db: ControlDatabase, least: IsolationLevel): void {
  db.prepare('insert into setting (name, value) values (?, ?) on conflict do update set value = excluded.value').run(
    NAME,
    least,
  );
}
