import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bot } from '../../src/contract/bot.ts';
import { tempDir } from './temp.ts';
import { deployTiny, lineUntil, type Reachable, type TinyBot } from './tiny-bot.ts';

/** Logs what the file `say` in its folder holds, whenever one appears there; keeps state, emits a metric. */
const SOURCE = `
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { parse, log, metric, state } from '@bot-platform/sdk';
const { config } = parse();
const file = config.folder + '/say';
state.set('bot_state', { mark: config.mark });
metric('price', { symbol: config.mark, value: 7 });
log('up ' + config.mark);
setInterval(() => {
  if (!existsSync(file)) return;
  const text = readFileSync(file, 'utf8');
  rmSync(file);
  for (const line of text.split('\\n')) log(line);
}, 20);
`;
const QUERY = `
import { query, state } from '@bot-platform/sdk';
query.handler('/status', () => ({ status: 'fine', state: state.get('bot_state') }));
query.run();
`;
const SCHEMA = {
  type: 'object',
  properties: { folder: { type: 'string' }, mark: { type: 'string' } },
  required: ['folder', 'mark'],
  additionalProperties: false,
};

/** A bot that prints what a test tells it to. */
export const TALKING: TinyBot = { name: 'talking', bot: SOURCE, query: QUERY, schema: SCHEMA };

export interface TalkingBot {
  readonly bot: Bot;
  /** Makes the bot log lines, all at once. */
  say(...lines: string[]): void;
}

/** Deploys a talking bot under its own name, as the caller; `mark` is in all its output. Resolves once it is up. */
export async function deployTalking(host: Reachable, name = 'talking', mark = 'mark'): Promise<TalkingBot> {
  const folder = tempDir('talking-');
  const bot = await deployTiny(host, { ...TALKING, name }, { config: { folder, mark } });
  await lineUntil(host, bot.bot_id, `up ${mark}`);
  return {
    bot,
    say(...lines) {
      const whole = join(folder, 'next');
      writeFileSync(whole, lines.join('\n'));
      // In one step, so that the bot never sees half of it.
      renameSync(whole, join(folder, 'say'));
    },
  };
}
