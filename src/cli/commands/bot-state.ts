import { invalid, PlatformError } from '../../contract/errors.ts';
import { formatBytes, formatRelative } from '../../shared/format-quantity.ts';
import { inexactNumber, inexactText } from '../../shared/inexact-number.ts';
import type { Arguments, Client, Command, Context } from '../command.ts';
import { UsageError } from '../usage-error.ts';

/** The value to store; INVALID_REQUEST for invalid JSON, or for numbers that would change on their way. */
function parseValue(text: string): unknown {
  const refuse = (message: string, hint: string) => invalid('INVALID_REQUEST', [{ path: '--set', message, hint }]);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const hint = `Write it in quotes: --set '{"position": 2}', or --set - to read it from stdin.`;
    throw refuse(`is not JSON: ${error instanceof Error ? error.message : error}`, hint);
  }
  const token = inexactNumber(text);
  if (token !== null) throw refuse(inexactText(token), 'Numbers are exact up to 9007199254740991.');
  return value;
}

interface Place {
  readonly bot_id: string;
  readonly key: string;
}

async function change({ out, confirm, readStdin }: Context, host: Client, args: Arguments, place: Place) {
  const set = args.text('set');
  if (set !== undefined) {
    const value = parseValue(set === '-' ? await readStdin() : set);
    out.data(await host.call('state.set', { ...place, value }));
    out.line(`Set ${place.key}.`);
    return;
  }
  if (!args.flag('yes') && !(await confirm(`Remove the key ${place.key}? The bot starts without it.`))) {
    throw new PlatformError('INVALID_REQUEST', 'Nothing was removed', {
      hint: 'Confirm with y, or pass -y in a script.',
    });
  }
  out.data(await host.call('state.delete', place));
  out.line(`Removed ${place.key}.`);
}

export const command: Command = {
  positionals: ['<bot>', '[key]'],
  options: {
    set: { type: 'string', value: 'JSON', help: 'Give the key this value; - reads it from stdin' },
    delete: { type: 'boolean', help: 'Remove the key' },
    yes: { type: 'boolean', short: 'y', help: 'Do not ask' },
  },
  description:
    'Lists the state keys of a bot with their sizes, or prints the value of one; changes it while the bot is stopped.',
  examples: [
    'platform bot state "sma live"',
    'platform bot state "sma live" bot_state',
    `platform bot state "sma live" position --set '{"units": 2}'`,
  ],
  async run(context, args) {
    const { client, out } = context;
    const [name = '', key] = args.positionals;
    const changes = [args.text('set') !== undefined, args.flag('delete')].filter(Boolean).length;
    if (changes > 1) throw new UsageError('Either --set or --delete.', 'bot state');
    if (changes > 0 && key === undefined) throw new UsageError('Name the key to change.', 'bot state');
    const host = await client();
    const bot_id = await host.botId(name);
    if (changes > 0 && key !== undefined) {
      await change(context, host, args, { bot_id, key });
      return 0;
    }
    if (key !== undefined) {
      const value = await host.call('state.get', { bot_id, key });
      out.data(value);
      out.line(JSON.stringify(value.value, null, 2));
      return 0;
    }
    const list = await host.call('state.list', { bot_id });
    out.data(list);
    if (list.keys.length === 0) out.line('No state yet.');
    else {
      const now = Date.now();
      out.table(
        ['KEY', 'SIZE', 'MODIFIED'],
        list.keys.map((one) => [one.key, formatBytes(one.size), formatRelative(Date.parse(one.modified_at), now)]),
      );
    }
    if (list.over_quota) out.note(`The state is over its limit: ${formatBytes(list.total_bytes)}.`);
    if (list.left_out !== undefined)
      out.note(`Not counted, because the bot has closed them to the host: ${list.left_out.join(', ')}.`);
    return 0;
  },
};
