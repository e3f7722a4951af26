import { mostSteps } from '../../../src/main/host/logs/mask/line-masker.ts';
import { createMasker, type Masker } from '../../../src/main/host/logs/mask/masker.ts';
import { MASK } from '../../../src/main/host/logs/mask/spans.ts';
import { secretForms } from '../../../src/main/host/logs/mask/usual-encodings.ts';
import { ENCODINGS } from '../../support/secret-encodings.ts';
import { anySecret } from '../../support/secret-samples.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { mutateText } from '../mutate.ts';
import { expectThat, type FuzzTarget, plainSession } from '../target.ts';

interface Input {
  readonly secrets: readonly string[];
  readonly lines: readonly string[];
}

/** Values under this length are hidden as whole words only where an answer is data. */
const ANYWHERE = 16;
/** Within a longer number it would be any number. */
const SHORT_NUMBER = /^[+-]?[\d.]{1,15}$/;
const ALPHABETS = ['ab', '0123456789', 'abcXYZ019-_', 'a"\\/&<>%+ =', 'aé漢🙂', '.*+?^$(){}[]|'];
const BETWEEN = [
  '',
  ' ',
  '=',
  ': ',
  '"',
  '\\"',
  '","',
  '&',
  '/',
  ' token=',
  'Bearer ',
  '***',
  '\t',
  'é',
  '%20',
  '\\u003d',
  '\u001b[33m',
];
const WORDS = [
  'password=',
  'Authorization: ',
  '-----BEGIN PRIVATE KEY-----',
  '-----END PRIVATE KEY-----',
  'sk-',
  'eyJ',
  '***',
];

function madeSecret(random: SeededRandom, others: readonly string[]): string {
  const text = random.text(random.pick(ALPHABETS), 4 + random.below(random.pick([8, 40, 400])));
  if (others.length === 0) return text;
  const other = random.pick(others);
  const cut = random.below(other.length + 1);
  return random.pick([
    text,
    other.slice(0, cut) + text,
    other.slice(cut) + text,
    text + other.slice(0, cut),
    text.repeat(8),
  ]);
}

function madeLine(random: SeededRandom, secrets: readonly string[]): string {
  let line = '';
  for (let parts = 1 + random.below(5); parts > 0; parts--) {
    const secret = secrets.length === 0 ? '' : random.pick(secrets);
    const forms = secretForms(secret);
    const part = [
      secret,
      forms.length === 0 ? secret : random.pick(forms),
      random.pick(ENCODINGS).lines(secret.toWellFormed(), random).join('\n'),
      secret.slice(0, random.below(secret.length + 1)),
      anySecret(random).line,
      random.text(random.pick(ALPHABETS), random.below(60)),
    ];
    line += random.pick(BETWEEN) + random.pick(part);
  }
  return random.below(3) === 0 ? mutateText(random, line, WORDS) : line;
}

/** Texts and names in a JSON value. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => [name, ...textsOf(item)]);
}

function hides(what: string, text: string, secrets: readonly string[], shortest: number): void {
  const parts = text.split(MASK);
  // A lone surrogate cannot be written: as text it becomes another character.
  const written = secrets.map((secret) => secret.toWellFormed());
  const shown = written.find(
    // A secret made of asterisks cannot be distinguished from the mask within a value.
    (secret) =>
      secret.trim().length >= shortest &&
      !SHORT_NUMBER.test(secret) &&
      !secret.includes('*') &&
      parts.some((part) => part.includes(secret)),
  );
  expectThat(shown === undefined, `${what} shows ${JSON.stringify(shown)} in ${JSON.stringify(text)}`);
}

function isFlagged(masker: Masker, line: string): boolean {
  const bytes = Buffer.from(`${line}\n`);
  const ends = new Uint32Array(1);
  const flags = new Uint8Array(1);
  masker.scan(bytes, 0, bytes.length, ends, flags);
  return flags[0] !== 0;
}

/** A bot's output and answers, with secret values anywhere in them: none is shown, and none takes long. */
export const masker: FuzzTarget = {
  name: 'masker',
  limitMs: 5000,
  make(random: SeededRandom) {
    const secrets: string[] = [];
    for (let count = random.below(4); count > 0; count--) secrets.push(madeSecret(random, secrets));
    const lines = Array.from({ length: 1 + random.below(3) }, () => madeLine(random, secrets));
    return JSON.stringify({ secrets, lines } satisfies Input);
  },
  open: () =>
    plainSession((input) => {
      const { secrets, lines }: Input = JSON.parse(input);
      const made = createMasker(secrets);
      const stream = made.newStream();
      // One that masks no lines has no table of its own for the rules.
      const ofTexts = createMasker(secrets);
      for (const text of lines) {
        const line = text.toWellFormed().replaceAll('\n', ' ');
        const before = made.work.steps;
        const alone = made.maskLine(line).text;
        const steps = made.work.steps - before;
        expectThat(steps <= 2 * mostSteps(line.length), `${steps} steps for ${line.length} characters`);
        hides('a line', alone, secrets, 6);
        hides('a text', ofTexts.maskText(line), secrets, 6);
        hides('a stream', stream.maskLine(line).text, secrets, 6);
        expectThat(isFlagged(made, line) || alone === line, 'a line that is not flagged is masked');
        const value = { text: line, [line]: 1, list: [{ name: line, value: line }] };
        for (const one of textsOf(made.maskJson(value))) hides('JSON', one, secrets, 6);
        for (const one of textsOf(made.hideValues(value))) hides('an answer', one, secrets, ANYWHERE);
      }
    }),
};
