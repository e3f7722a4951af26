import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBotMasker } from '../../../src/main/host/logs/create-bot-masker.ts';
import { ReadBuffers, SpoolTail } from '../../../src/main/host/logs/spool-tail.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { mutateBytes } from '../mutate.ts';
import { expectThat, type FuzzTarget } from '../target.ts';

const SAMPLES = [
  'one\ntwo\r\n\nthree \xc3\xa9\xf0\x9f\x99\x82\n',
  `{"_metric":"price","value":1}\n${'long '.repeat(30_000)}\nlast without an end`,
  `key=${'s'.repeat(70_000)}\n\0\0\0\n\xff\xfe\n`,
];
const MASKER = createBotMasker(['s'.repeat(40), 'two']);
const BUFFERS = new ReadBuffers();

/** The lines that bytes hold, as latin1 text. */
function linesOf(bytes: string): string[] {
  const lines = bytes.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const last = bytes.endsWith('\n') ? -1 : lines.length - 1;
  // A return before nothing is not the end of a line.
  return lines.map((line, at) => (at !== last && line.endsWith('\r') ? line.slice(0, -1) : line));
}

/** The output of a bot, written in pieces and read by hosts that come and go: each line once, whole and in order. */
export const spool: FuzzTarget = {
  name: 'spool',
  limitMs: 5000,
  make(random: SeededRandom) {
    const bytes = mutateBytes(random, random.pick(SAMPLES));
    return JSON.stringify([random.next(), bytes]);
  },
  async open(dir) {
    const path = join(dir, 'stdout');
    return {
      run(input) {
        const [seed, text]: [number, string] = JSON.parse(input);
        const random = new SeededRandom(seed);
        const file = { botId: 'b', runId: 'r', path, source: 'stdout' } as const;
        const found: string[] = [];
        let open = '';
        const reports: string[] = [];
        writeFileSync(path, '');
        let tail = new SpoolTail(file, MASKER);
        tail.restore(null, MASKER, BUFFERS);
        const read = (): void => {
          for (let turns = 0; ; turns++) {
            expectThat(turns < 10_000, 'it never comes to an end');
            const turn = tail.turn(MASKER, BUFFERS, {
              piece(_, chunk, piece) {
                open += chunk.bytes.toString('latin1', piece.start, piece.end);
                if (piece.continued) return;
                found.push(open);
                open = '';
              },
              report: (message) => reports.push(message),
            });
            if (turn === 'idle' || (tail.finishing && tail.drained)) return;
          }
        };
        try {
          for (let at = 0; at < text.length; ) {
            // Long outputs in larger pieces: a line that is not whole yet is read again with each.
            const size = 1 + random.below(random.pick(text.length < 2000 ? [3, 20, 200] : [20_000, 70_000, 400_000]));
            appendFileSync(path, Buffer.from(text.slice(at, at + size), 'latin1'));
            at += size;
            if (random.below(3) > 0) read();
            if (random.below(4) > 0) continue;
            const row = tail.row();
            tail.close();
            tail = new SpoolTail(file, MASKER);
            tail.restore(row, MASKER, BUFFERS);
          }
          tail.finishing = true;
          read();
        } finally {
          tail.close();
        }
        expectThat(reports.length === 0, `reported: ${reports.join('; ')}`);
        expectThat(open === '', 'a line was left open');
        const wanted = linesOf(text);
        expectThat(found.length === wanted.length, `${found.length} lines of ${wanted.length}`);
        const wrong = found.findIndex((line, index) => line !== wanted[index]);
        expectThat(wrong === -1, `line ${wrong} is ${JSON.stringify(found[wrong]?.slice(0, 100))}`);
      },
      close: () => Promise.resolve(),
    };
  },
};
