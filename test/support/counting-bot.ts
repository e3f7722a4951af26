import { logRows } from './log-files.ts';
import type { TestHost } from './platform.ts';
import { lineUntil, type TinyBot, tell } from './tiny-bot.ts';

/** Writes so many numbered lines a millisecond, whatever else the machine does, until it is told to end. */
export function countingBot(linesPerMs: number): TinyBot {
  const bot = `
import { existsSync } from 'node:fs';
const begin = performance.now();
let next = 0;
const timer = setInterval(() => {
  const due = Math.floor((performance.now() - begin) * ${linesPerMs});
  let text = '';
  while (next < due) text += 'line ' + next++ + '\\n';
  if (text !== '') process.stdout.write(text);
  if (!existsSync(process.env.STATE_DIR + '/end')) return;
  clearInterval(timer);
  console.log('wrote ' + next);
  setInterval(() => {}, 1000);
}, 10);`;
  return { name: 'counting', runtime: 'nodejs24', bot };
}

/** 5000 lines a second. */
export const COUNTING = countingBot(5);

/** What became of the lines of a counting bot. */
export interface Counted {
  readonly lines: number;
  readonly lost: number;
  readonly doubled: number;
  /** Each line stands behind the one that was written before it. */
  readonly ordered: boolean;
}

/** Lets a counting bot write its last line, and looks for every one in its log. */
export async function countLines(host: TestHost, botId: string): Promise<Counted> {
  tell(host, botId, 'end');
  const last = await lineUntil(host, botId, 'wrote ');
  const lines = Number(last.message.slice('wrote '.length));
  const sql = "select line from log where line glob 'line [0-9]*' order by seq";
  const seen = new Uint8Array(lines);
  let before = -1;
  let stored = 0;
  let ordered = true;
  for (const { line } of logRows<{ line: string }>(host.dataDir, botId, sql)) {
    const number = Number(line.slice('line '.length));
    ordered &&= number > before;
    before = number;
    stored += 1;
    seen[number] = 1;
  }
  const different = seen.reduce((sum, one) => sum + one, 0);
  return { lines, lost: lines - different, doubled: stored - different, ordered };
}
