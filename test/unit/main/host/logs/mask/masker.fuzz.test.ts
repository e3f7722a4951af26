import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createBotMasker } from '../../../../../../src/main/host/logs/create-bot-masker.ts';
import { takeLine, takePiece } from '../../../../../../src/main/host/logs/line-intake.ts';
import { HIDDEN, OUTSIDE } from '../../../../../../src/main/host/logs/line-splitter.ts';
import { createMasker } from '../../../../../../src/main/host/logs/mask/masker.ts';
import { ReadBuffers, SpoolTail } from '../../../../../../src/main/host/logs/spool-tail.ts';
import { hostileLines } from '../../../../../support/hostile-lines.ts';
import { dailyLines, ordinaryLines } from '../../../../../support/ordinary-lines.ts';
import { anySecret } from '../../../../../support/secret-samples.ts';
import { SeededRandom, testSeed } from '../../../../../support/seeded-random.ts';
import { tempDir } from '../../../../../support/temp.ts';

/** How long each property is tried, in seconds: half of one in every run, 150 in one of ten minutes (`FUZZ_SECONDS=150`). */
const SECONDS = Number(process.env.FUZZ_SECONDS ?? 0.5);
/** The same bound for a long run as for a short one: a minute beyond its time. */
const TIMEOUT = SECONDS * 1000 + 60_000;
const SEED = testSeed();
const VALUES = [
  'S3cr3t/Value+one"two\\three',
  'hunter2-hunter2',
  'Schlüssel-🔑-zwei',
  '48151623',
  `long ${'Ab1'.repeat(60)}`,
];
const ORDINARY = [...ordinaryLines(500, new SeededRandom(SEED))];
const HOSTILE = [...hostileLines(300)].map(([, line]) => line);

/** Random rounds until the time is over; a failure names seed and round. */
function fuzz(round: (random: SeededRandom, context: string) => void): number {
  const end = performance.now() + SECONDS * 1000;
  let rounds = 0;
  for (; rounds === 0 || performance.now() < end; rounds++) {
    round(new SeededRandom(SEED + rounds * 31), `TEST_SEED=${SEED} round ${rounds}`);
  }
  return rounds;
}

const BITS = [
  '"',
  "'",
  '\\',
  '\\"',
  '{',
  '}',
  '[',
  ':',
  '=',
  ',',
  ' ',
  '\t',
  '\r',
  '\u00e4',
  '\u{1f511}',
  '\ud800',
  '\0',
  '***',
  '@',
  '//',
  '%3D',
  '%22',
  '%20',
  '\\u003d',
  '\\u0027',
  '\u001b[33m',
  '\\u001b[39m',
];

/** A line of pieces of secrets, values, hostile beginnings and single characters, cut and joined anywhere. */
function mess(random: SeededRandom): string {
  const parts = Array.from({ length: 1 + random.below(7) }, () => {
    const ordinary = random.pick(ORDINARY);
    const whole = random.pick([
      anySecret(random).line,
      random.pick(VALUES),
      random.pick(HOSTILE),
      ordinary,
      random.pick(BITS),
    ]);
    const from = random.below(4) === 0 ? random.below(whole.length) : 0;
    return whole.slice(from, random.below(3) === 0 ? from + random.below(whole.length) : undefined);
  });
  return parts.join(random.pick(['', ' ', random.pick(BITS)])).replaceAll('\n', random.pick(['\\n', '\n']));
}

/** The lines that a tail reads from a file that grows by these parts. */
function read(parts: readonly Buffer[], file: string): string[] {
  const masker = createBotMasker(VALUES);
  const buffers = new ReadBuffers();
  writeFileSync(file, '');
  const tail = new SpoolTail({ botId: 'b', runId: 'r', path: file, source: 'stdout' }, masker);
  const stored: string[] = [];
  const turn = (): unknown =>
    tail.turn(masker, buffers, {
      piece: (from, chunk, piece) => {
        const text = chunk.bytes.toString('utf8', piece.start, piece.end);
        const whole = piece.inside === OUTSIDE && !piece.continued;
        const taken = whole
          ? takeLine(text, piece.flagged, from.stream, masker)
          : takePiece(text, piece.flagged, piece.inside === HIDDEN, undefined, from.stream);
        stored.push(JSON.stringify(taken));
      },
      report: (message) => expect(message).toBe(''),
    });
  for (const part of parts) {
    appendFileSync(file, part);
    turn();
  }
  tail.finishing = true;
  while (!tail.drained) turn();
  tail.close();
  return stored;
}

describe('the masker, on random mess', { timeout: TIMEOUT }, () => {
  // Whole lines only: masking a mess moves its rest together, and the next pass may find more secrets.
  it('leaves alone what it has masked', () => {
    const masker = createMasker(VALUES);
    fuzz((random, context) => {
      const [ordinary = ''] = dailyLines(1, random);
      const { line } = anySecret(random);
      for (const text of [
        line,
        `${ordinary} ${random.pick(VALUES)} | ${line}`,
        JSON.stringify({ message: line, ordinary }),
      ]) {
        const once = masker.maskText(text);
        expect(masker.maskText(once), `${context} ${JSON.stringify(text)}`).toBe(once);
      }
    });
  });

  it('gives the same wherever what is written is cut', () => {
    const file = join(tempDir('mask-fuzz-'), 'bot.out');
    fuzz((random, context) => {
      const text = Array.from({ length: 1 + random.below(5) }, () => mess(random)).join('\n');
      const bytes = Buffer.from(`${text}\n`);
      const cuts = Array.from({ length: 1 + random.below(6) }, () => random.below(bytes.length)).sort((a, b) => a - b);
      const parts = [0, ...cuts].map((from, i) => bytes.subarray(from, cuts[i] ?? bytes.length));
      expect(read(parts, file), `${context} cut at ${cuts} ${JSON.stringify(text)}`).toEqual(read([bytes], file));
    });
  });

  it('never throws', () => {
    const masker = createMasker(VALUES);
    fuzz((random) => {
      const line = mess(random);
      expect(typeof masker.maskText(line)).toBe('string');
      expect(masker.maskJson({ [line.slice(0, 40)]: line, list: [line] })).toBeTypeOf('object');
    });
  });

  it('takes no more than so many steps for each character, whatever the line holds', () => {
    fuzz((random, context) => {
      const masker = createMasker(VALUES);
      const line = mess(random)
        .repeat(1 + random.below(40))
        .slice(0, 64 * 1024);
      masker.maskText(line);
      // Eight windows are free; a line that goes beyond that and eight steps a character is given up, in the middle of one.
      const lines = line.split('\n').length;
      expect(masker.work.steps, `${context} ${line.length}`).toBeLessThan(lines * 8 * 1280 + 9 * line.length + 70_000);
    });
  });
});
