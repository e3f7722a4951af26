import { ARM_SEC } from '../../contract/arming.ts';
import { invalid } from '../../contract/errors.ts';
import { protectionWords, sinceArming } from '../../shared/arming-words.ts';
import { seenTime } from '../../shared/written-time.ts';
import { isAtTerminal } from '../ask-pin.ts';
import type { Command } from '../command.ts';
import { durationOption } from '../duration-option.ts';
import { readTyped } from '../read-typed.ts';
import { statusText } from '../show-bot.ts';
import { sheetLines } from '../show-install-sheet.ts';
import { printable } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';

const WORDS = 'bot arm';
const USUAL = '30d';

export const command: Command = {
  positionals: ['<bot>'],
  options: {
    for: { type: 'string', value: 'TIME', help: `For how long, such as 12h or 90d; ${USUAL} without it` },
    'stop-at-expiry': { type: 'boolean', help: 'Stop the bot when the arming ends' },
  },
  description:
    'Allows a bot to use its live secrets, with the version, configuration, permits and guards that it has now. It shows them, and asks for the name of the bot and your PIN; no API key and no assistant can arm. A bot that waits for it starts.',
  examples: ['platform bot arm "sma live"', 'platform bot arm "sma live" --for 90d --stop-at-expiry'],
  async run({ client, out, signal }, args) {
    const for_sec = durationOption('for', args.text('for') ?? USUAL, WORDS);
    if (for_sec < ARM_SEC.least || for_sec > ARM_SEC.most) {
      throw new UsageError('--for takes a time from 1m to 366d.', WORDS);
    }
    const host = await client();
    const bot = await host.call('bots.get', { bot_id: await host.botId(args.positionals[0] ?? '') });
    const { bot_id, generation, arming } = bot;
    const refused = (message: string, hint: string) => invalid('INVALID_REQUEST', [{ path: 'bot', message, hint }]);
    if (arming === null) throw refused('uses no live secret, so nothing has to be armed', 'Start it as it is.');
    if (!isAtTerminal()) throw refused('must be armed by a person in a terminal', 'Or press Arm on its page.');
    const [name = ''] = bot.type.split('/').slice(1);
    const [{ install_sheet }, guards, network, about] = await Promise.all([
      host.call('custom_bots.get', { name, version: bot.version }),
      host.call('guards.list', { bot_id }),
      host.call('bots.network', { bot_id }),
      host.call('host.get', {}),
    ]);
    const level = about.engines.find((one) => one.name === bot.engine)?.level ?? null;
    const lines = [
      `${printable(bot.name)}: ${bot.type} ${bot.version}`,
      sinceArming(arming, bot, { now: Date.now(), zone: 'local' }),
      `Configuration: ${printable(JSON.stringify(bot.effective_config))}`,
      ...sheetLines(install_sheet),
      ...(guards.items.length === 0 ? ['No guards.'] : guards.items.map((one) => `Guard: ${printable(one.sentence)}`)),
      `Network: ${network.summary}`,
      protectionWords(bot.engine, level),
      args.flag('stop-at-expiry')
        ? 'When the arming ends, the host stops it.'
        : 'When the arming ends, it goes on and the host restarts it; nobody changes it or starts it by hand.',
    ];
    for (const line of lines) process.stderr.write(`${line}\n`);
    const typed = await readTyped('This lets it trade real money. Type the name of the bot to arm it: ', signal);
    if (typed.trim() !== bot.name) throw refused('is not the name that was typed', 'Nothing was armed.');
    const stop_at_expiry = args.flag('stop-at-expiry');
    const armed = await host.call('bots.arm', { bot_id, for_sec, stop_at_expiry, if_generation: generation });
    out.data(armed);
    const end = armed.arming?.until ?? null;
    const until = end === null ? '' : ` until ${seenTime(end, { now: Date.now(), zone: 'local' })}`;
    out.line(`Armed ${printable(armed.name)}${until}: ${statusText(armed, out.colours)}`);
    if (!armed.enabled) out.line('It is stopped. Start it with `platform bot start`.');
    return 0;
  },
};
