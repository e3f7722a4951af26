import { readBotConfig } from '../../../src/packaging/bot-config.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { mutateText } from '../mutate.ts';
import { expectThat, type FuzzTarget, plainSession } from '../target.ts';

const SAMPLE = `# A bot
name: my-bot
description: |
  What it does.
version: "1.0.0"
author: you
type: realtime
runtime: python311
entrypoints: { bot: bot.py, query: 'query.py' }
schema:
  bot: bot-schema.json
readme: README.md
permits:
  network: [{ host: '*.example.com', port: 443, tls: true }]
  local: [7497]
  secrets: [KEY]
metadata:
  categories: [trading]
  tags:
    - sma
    - *t
  complexity: beginner
other: &t text
`;
const VALID = SAMPLE.replace('    - *t\n', '').replace('&t ', '');
const NAMED = VALID.replace(
  'runtime: python311',
  'runtime: command\ncommand: { interpreter: awk, arguments: [-f], image: debian }',
);
const WORDS = [
  '&a ',
  '*a',
  '<<: *a',
  '!!js/function ',
  '!!binary ',
  '---\n',
  '...\n',
  '%YAML 1.1\n',
  '? ',
  ': ',
  '- ',
  '|\n',
  '>-\n',
  '\t',
  '[',
  ']',
  '{',
  '}',
  '"',
  "'",
  '#',
  '~',
  'null',
  'true',
  '.inf',
  '0x1F',
  '1_000',
  '2024-01-01',
  'name: ',
  'version: ',
  'entrypoints:\n',
  '../',
  '-c',
  'interpreter: ',
  'command',
  '/etc/passwd',
  'a.jar:Main',
];

/** bot-config.yaml: what it says, or problems with places that are in the text. */
export const botConfig: FuzzTarget = {
  name: 'bot-config',
  limitMs: 10_000,
  make(random: SeededRandom) {
    const aliases = random.below(50) === 0 ? `x: &x [${'*y,'.repeat(random.below(30))}]\ny: &y [*x]\n`.repeat(3) : '';
    return mutateText(random, aliases + random.pick([SAMPLE, VALID, NAMED]), WORDS);
  },
  open: () =>
    plainSession((text) => {
      const reading = readBotConfig(text);
      expectThat((reading.config === undefined) === reading.problems.length > 0, 'neither a config nor a problem');
      const { runtime, command } = reading.config ?? {};
      expectThat((runtime === 'command') === (command !== undefined), `${runtime} with ${JSON.stringify(command)}`);
      expectThat(!/^[-.~]|[^\w.+-]/.test(command?.interpreter ?? ''), `${command?.interpreter} is no plain name`);
      // Line ends of YAML are also those of old Macs.
      const lines = text.split(/\r\n|\r|\n/).length;
      for (const { line, column, message, hint } of [...reading.problems, ...reading.warnings]) {
        expectThat(line >= 1 && line <= lines && column >= 1, `line ${line}, column ${column} of ${lines} lines`);
        expectThat(message !== '' && typeof hint === 'string', 'a problem without words');
      }
    }),
};
