import { DEFAULT_PREFERENCES } from '../../contract/preference-choices.ts';
import { PreferenceChange, Preferences } from '../../contract/preferences.ts';
import type { Command } from '../command.ts';
import { printable } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';

const NAMES = Preferences.keyof().options;
/** The word for leaving a choice to the default. */
const NONE = 'none';

function textOf(value: Preferences[keyof Preferences]): string {
  if (value === null) return NONE;
  return Array.isArray(value) ? value.join(',') || NONE : String(value);
}

/** The typed change; UsageError for an unknown name or value. */
function parseChange(typedName: string, text: string): PreferenceChange {
  const name = NAMES.find((one) => one === typedName);
  if (name === undefined) throw new UsageError(`The preferences are ${NAMES.join(', ')}.`, 'preferences');
  const before = DEFAULT_PREFERENCES[name];
  const value = Array.isArray(before)
    ? text.split(',').filter((part) => part !== '' && part !== NONE)
    : typeof before === 'boolean' && (text === 'true' || text === 'false')
      ? text === 'true'
      : typeof before === 'number'
        ? Number(text)
        : before === null && text === NONE
          ? null
          : text;
  const parsed = PreferenceChange.safeParse({ [name]: value });
  if (parsed.success) return parsed.data;
  throw new UsageError(
    `${name} cannot be ${JSON.stringify(text)}: ${parsed.error.issues[0]?.message ?? ''}`,
    'preferences',
  );
}

export const command: Command = {
  positionals: ['[name]', '[value]'],
  options: {},
  description: 'Shows how the dashboard shows you things, on every machine, or changes one of these choices.',
  examples: [
    'platform preferences',
    'platform preferences theme dark',
    'platform preferences fleet_columns now,metric,last_hour',
  ],
  async run({ client, out }, { positionals: [name, value] }) {
    if (name !== undefined && value === undefined) throw new UsageError('Give the value, too.', 'preferences');
    const change = name === undefined || value === undefined ? null : parseChange(name, value);
    const host = await client();
    const now = change === null ? await host.call('preferences.get', {}) : await host.call('preferences.set', change);
    out.data(now);
    out.table(
      ['NAME', 'VALUE'],
      NAMES.map((one) => [one, printable(textOf(now[one]))]),
    );
    return 0;
  },
};
