import type { Bot } from '../../contract/bot.ts';
import { botDifferences } from '../bot-differences.ts';
import type { Arguments, Command, Context } from '../command.ts';
import { typed } from '../copyable-command.ts';
import { EXIT } from '../exit-codes.ts';
import { readJsonObject } from '../json-file.ts';
import { printable } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';

/** Options that change one field each, so that this needs no file. */
const FIELDS = ['name', 'version', 'schedule', 'timezone'] as const;

async function changeOf(context: Context, args: Arguments): Promise<Record<string, unknown>> {
  const file = args.positionals[1];
  const given = FIELDS.flatMap((field) => {
    const value = args.text(field);
    return value === undefined ? [] : [[field, value] as const];
  });
  if (file === undefined && given.length === 0) {
    throw new UsageError('Say what to change: a JSON file, --version, --schedule, --timezone or --name.', 'bot update');
  }
  return { ...(file === undefined ? {} : await readJsonObject(context, file)), ...Object.fromEntries(given) };
}

/** Describes the bot's reaction to the update; null when it need not do anything. */
function nextText({ name }: Context, before: Bot, after: Bot, changes: readonly string[]): string | null {
  const inside = changes.some((line) => /^(version|options|engine|config)\b/.test(line));
  if (!after.enabled) return before.enabled ? 'It stops and stays stopped.' : 'It is disabled and stays so.';
  if (after.schedule !== null) return inside ? 'The next run uses it.' : null;
  if (!inside && before.enabled) return null;
  const what = before.status === 'running' || before.status === 'starting' ? 'It restarts.' : 'It starts.';
  return `${what} Follow it with: ${typed(name, 'bot logs', after.name, '-w')}`;
}

export const command: Command = {
  positionals: ['<bot>', '[file]'],
  options: {
    version: { type: 'string', value: 'X.Y.Z', help: 'Run this version from now on, a newer or an older one' },
    schedule: { type: 'string', value: 'CRON', help: 'Run at these times: five fields' },
    timezone: {
      type: 'string',
      value: 'ZONE',
      help: 'Read the schedule by the clock of this zone, such as Europe/Berlin',
    },
    name: { type: 'string', value: 'NAME', help: 'Call it this' },
    'if-generation': { type: 'string', value: 'N', help: 'Change nothing if the bot has another generation by now' },
  },
  description:
    'Changes a bot and shows what changed. The JSON file holds any of name, version, schedule, timezone, enabled, options and config; a config replaces the old one, but a secret that it does not name is kept. A running realtime bot restarts once.',
  examples: [
    'platform bot update "sma live" --version 1.1.0',
    'platform bot update portfolio --schedule "30 9 * * 1-5" --timezone America/New_York',
    'platform bot update "sma live" change.json',
    `echo '{"config":{"symbol":"MSFT"}}' | platform bot update "sma live" -`,
  ],
  async run(context, args) {
    const { out } = context;
    const change = await changeOf(context, args);
    const generation = args.integer('if-generation', 1);
    const condition = generation === undefined ? {} : { if_generation: generation };
    const host = await context.client();
    const bot_id = await host.botId(args.positionals[0] ?? '');
    const before = await host.call('bots.get', { bot_id });
    const after = await host.call('bots.update', { ...change, ...condition, bot_id });
    out.data(after);
    if (after.outcome === 'waiting') {
      out.line(`${printable(after.name)} goes on as it is: it is armed, so a person has to approve this.`);
      for (const change of after.approval?.changes ?? []) out.line(`  ${printable(change)}`);
      out.line(`Approve it with: ${typed(context.name, 'approvals approve', after.name)}`);
      return EXIT.conflict;
    }
    const changes = botDifferences(before, after, change.config);
    if (changes.length === 0) {
      out.line(`Nothing changed: ${printable(after.name)} already has these values.`);
      return 0;
    }
    out.line(`Updated ${printable(after.name)}.`);
    for (const line of changes) out.line(`  ${line}`);
    const next = nextText(context, before, after, changes);
    if (next !== null) out.line(next);
    return 0;
  },
};
