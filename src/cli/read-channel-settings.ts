import { createInterface } from 'node:readline/promises';
import { CHANNEL_FIELDS, type ChannelField, type ChannelKind } from '../contract/alarm-choices.ts';
import type { AlarmChannel } from '../contract/alarms.ts';
import { invalid, PlatformError } from '../contract/errors.ts';
import type { Client, Context } from './command.ts';
import { readHidden } from './prompt-password.ts';

/** Finds a channel by its name or id. Rejects with CHANNEL_NOT_FOUND. */
export async function channelByName(host: Client, name: string): Promise<AlarmChannel> {
  const { items } = await host.call('alarms.channels', {});
  const found = items.find((one) => one.name === name) ?? items.find((one) => one.channel_id === name);
  if (found === undefined) throw new PlatformError('CHANNEL_NOT_FOUND');
  return found;
}

async function ask({ label, hint, secret, optional }: ChannelField): Promise<string> {
  process.stderr.write(`${label}: ${hint}${optional === true ? ' (optional)' : ''}\n`);
  if (secret === true) return readHidden('> ');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question('> ');
  } finally {
    lines.close();
  }
}

/**
 * The settings of a channel, typed one by one on a terminal, else `name=value` lines of stdin. Never from arguments, which others can
 * read.
 */
export async function readChannelSettings(context: Context, kind: ChannelKind): Promise<Record<string, string>> {
  const settings: Record<string, string> = {};
  if (process.stdin.isTTY === true) {
    for (const field of CHANNEL_FIELDS[kind]) {
      const text = await ask(field);
      if (text !== '') settings[field.name] = text;
    }
    return settings;
  }
  const lines = (await context.readStdin()).split(/\r?\n/).filter((line) => line.trim() !== '');
  for (const [index, line] of lines.entries()) {
    const at = line.indexOf('=');
    if (at < 1) {
      const hint = `Give name=value lines: ${CHANNEL_FIELDS[kind].map(({ name }) => name).join(', ')}.`;
      throw invalid('INVALID_REQUEST', [{ path: `line ${index + 1}`, message: 'is not name=value', hint }]);
    }
    settings[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return settings;
}
