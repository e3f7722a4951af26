import type { BotEvent } from '../../contract/bot.ts';
import type { BotChangeBy } from '../../contract/bot-actor.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Client, Command, Context } from '../command.ts';
import { typed } from '../copyable-command.ts';
import { EXIT } from '../exit-codes.ts';
import { printable } from '../terminal-text.ts';

const reasonOf = (one: BotEvent): string =>
  one.changes.map(({ message }) => message).join('; ') || (one.reason?.message ?? '');

interface Gap {
  readonly gap: { readonly from_seq: number };
}

const isGap = (data: object): data is Gap => 'gap' in data;

async function follow({ out, signal, name }: Context, host: Client, botId: string): Promise<number> {
  let last: number | null = null;
  for await (const { data } of host.stream('bots.stream', {}, signal)) {
    if (isGap(data)) {
      // A reader that was too slow resumes where it was and misses nothing; a gap at any other place means missing changes.
      if (data.gap.from_seq !== last) {
        out.note(
          `Changes are missing here: the host was restored to an earlier time. How the bot is now: ${typed(name, 'bot get', botId)}`,
        );
      }
      last = data.gap.from_seq;
      continue;
    }
    last = data.event_id;
    if (data.bot_id !== botId) continue;
    if (out.json) out.raw(`${JSON.stringify(data)}\n`);
    else out.line([data.at, data.kind, data.status ?? '', printable(reasonOf(data))].join('  ').trimEnd());
    if (data.kind === 'deleted') return EXIT.notFound;
  }
  return EXIT.interrupted;
}

function showChanges({ out }: Context, answer: { readonly items: readonly BotChangeBy[] }): number {
  out.data(answer);
  out.table(
    ['AT', 'ASKED FOR', 'BY', 'CLIENT', 'CHANGED'],
    answer.items.map(({ at, operation, by, changes }) => [
      at,
      operation,
      by.key ?? by.key_id ?? by.method,
      by.client ?? '',
      changes.map(({ message }) => message).join('; '),
    ]),
  );
  return EXIT.ok;
}

export const command: Command = {
  positionals: ['<bot>'],
  options: {
    limit: { type: 'string', short: 'n', value: 'N', help: 'Changes (default 100)' },
    by: { type: 'boolean', help: 'Only what was asked for, and by whom' },
    follow: { type: 'boolean', short: 'w', help: 'Show changes as they come, until Ctrl-C' },
  },
  description: 'Lists the changes of state of a bot with their reasons, newest first.',
  examples: [
    'platform bot events "sma live"',
    'platform bot events "sma live" --by',
    'platform bot events "sma live" -w',
  ],
  async run(context, args) {
    const { out } = context;
    const host = await context.client();
    const bot_id = await host.botId(args.positionals[0] ?? '');
    if (args.flag('follow')) return follow(context, host, bot_id);
    const limit = args.integer('limit', 1, LIMITS.logsMax);
    if (args.flag('by')) return showChanges(context, await host.call('bots.changes', { bot_id, limit }));
    const answer = await host.call('bots.events', { bot_id, limit });
    out.data(answer);
    out.table(
      ['AT', 'CHANGE', 'STATUS', 'REASON'],
      answer.items.map((one) => [one.at, one.kind, one.status ?? '', reasonOf(one)]),
    );
    return EXIT.ok;
  },
};
