import { classify, levelOf, metricData, parseJsonLine } from '../../../src/main/host/logs/classify-json-line.ts';
import { createBotMasker } from '../../../src/main/host/logs/create-bot-masker.ts';
import { takeLine } from '../../../src/main/host/logs/line-intake.ts';
import { metricPoints } from '../../../src/main/host/logs/metric-points.ts';
import { textLevel } from '../../../src/main/host/logs/text-level.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { anyJson, mutateJson, mutateText } from '../mutate.ts';
import { expectThat, type FuzzTarget, plainSession } from '../target.ts';

const LINES = [
  'INFO started',
  '[ERROR] lost',
  '\u001b[31mWARN\u001b[0m low',
  '2026-11-24 10:00:00,123 - bot - ERROR - lost',
  '2026-11-24T10:00:00.123Z [main] WARN com.example.Bot - slow',
  'ts=1700000000.5 caller=main.go:12 level=error msg="order refused"',
  'error: HTTP 429 Too Many Requests',
  '{"_metric":"price","symbol":"SPY","value":1.5,"timestamp":1700000000000}',
  '{"level":"warn","message":"slow","ts":1700000000.5,"attempt":3}',
  '{"level":30,"time":1700000000000,"msg":"pino","pid":1}',
  '{"timestamp":"2024-01-02T03:04:05.678Z","fields":{"message":"tracing","n":1},"level":"INFO"}',
  '  {"event":"x"}  ',
];
const OBJECTS = LINES.filter((line) => line.startsWith('{')).map((line): unknown => JSON.parse(line));
const WORDS = [
  'ERROR',
  'WARN',
  '"_metric"',
  '"message"',
  '"level"',
  '"timestamp"',
  '{',
  '}',
  '":',
  '1e999',
  '-0',
  'null',
];

const MASKER = createBotMasker(['a secret of the bot']);

/** Lines that are as deep as their length allows. */
function deepLine(random: SeededRandom): string {
  const levels = random.below(30_000);
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
  ] as const);
  return `{"${random.pick(['_metric', 'message', 'x'])}":"y","a":${open.repeat(levels)}1${close.repeat(levels)}}`;
}

/** A line of a bot's output: what it is, its level and time, its fields and the numbers that become charts. */
export const lines: FuzzTarget = {
  name: 'lines',
  limitMs: 5000,
  make(random: SeededRandom) {
    if (random.below(200) === 0) return deepLine(random);
    if (random.below(2) === 0) return mutateText(random, random.pick(LINES), WORDS);
    const value = random.below(10) === 0 ? anyJson(random) : mutateJson(random, random.pick(OBJECTS));
    return JSON.stringify(value) ?? '';
  },
  open: () =>
    plainSession((line) => {
      const level = textLevel(line);
      expectThat(level >= 0 && level <= 3, `level ${level}`);
      expectThat(textLevel(line) === level, 'another level when a line comes again');
      for (const flagged of [false, true]) {
        const taken = takeLine(line, flagged, MASKER.newStream(), MASKER);
        if (taken.kind === 'metric') JSON.parse(taken.data);
        else if (taken.fields !== null) JSON.parse(taken.fields);
      }
      const object = parseJsonLine(line);
      if (object === null) return;
      const found = classify(structuredClone(object));
      if (found === null) return;
      if (found.time !== null) {
        expectThat(!Number.isNaN(new Date(found.time).getTime()), `a time that is none: ${found.time}`);
      }
      if (found.kind === 'log') {
        expectThat(found.level >= 0 && found.level <= 3, `level ${found.level}`);
        expectThat(levelOf(found.level) !== null, 'a level that is none');
        return;
      }
      const { values, symbol } = metricPoints(metricData(object));
      expectThat(
        values.every(([field, value]) => field.isWellFormed() && Number.isFinite(value)),
        'a point that is none',
      );
      expectThat(symbol === null || symbol.isWellFormed(), 'half a character in a symbol');
    }),
};
