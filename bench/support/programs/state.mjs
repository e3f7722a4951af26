// node state.mjs FOLDER ROUNDS: a durable put of a bot's state and a durable commit of SQLite in turn; microseconds of each.
import { join } from 'node:path';
import Database from 'better-sqlite3';

const [folder = '.', rounds = '100'] = process.argv.slice(2);
process.env.STATE_DIR = join(folder, 'state');
const state = await import('../../../resources/sdk/node/state.mjs');
const db = new Database(join(folder, 'state.db'));
db.exec('pragma journal_mode=wal; pragma synchronous=full; create table state(key text primary key, value text)');
const put = db.prepare('insert or replace into state values(?, ?)');
const value = { text: 'x'.repeat(10_000) };
const micros = (work) => {
  const begun = performance.now();
  work();
  return (performance.now() - begun) * 1000;
};
const ours = [];
const peer = [];
for (let round = 0; round < Number(rounds); round += 1) {
  ours.push(micros(() => state.set(`key ${round % 10}`, value)));
  peer.push(micros(() => put.run(`key ${round % 10}`, JSON.stringify(value))));
}
console.log(JSON.stringify({ ours, peer }));
