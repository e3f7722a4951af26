import type { Bot } from '../contract/bot.ts';
import { isJsonObject } from '../shared/json.ts';
import { cut, printable } from './terminal-text.ts';

const VALUE_CHARS = 40;
/** Text that replaces a secret in every record (docs/writing-bots.md#bot-schemajson). */
const MASK = '********';

function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  return cut(printable(typeof value === 'string' ? value : JSON.stringify(value)), VALUE_CHARS);
}

/** Differences between the keys of two objects; a nested value counts as one. */
function keyChanges(place: string, before: unknown, after: unknown): string[] {
  const old: Record<string, unknown> = isJsonObject(before) ? before : {};
  const now: Record<string, unknown> = isJsonObject(after) ? after : {};
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((key) => {
    const path = printable(`${place}.${key}`);
    if (!Object.hasOwn(now, key)) return [`${path} removed (was ${valueText(old[key])})`];
    if (!Object.hasOwn(old, key)) return [`${path}: ${valueText(now[key])} (new)`];
    const same = JSON.stringify(old[key]) === JSON.stringify(now[key]);
    return same ? [] : [`${path}: ${valueText(old[key])} -> ${valueText(now[key])}`];
  });
}

const FIELDS = ['name', 'version', 'schedule', 'timezone', 'enabled', 'engine'] as const;

/** Secrets that the change sets: records mask them, so before and after look the same. */
function newSecrets(after: Bot, given: unknown): string[] {
  const config: Record<string, unknown> = isJsonObject(given) ? given : {};
  return Object.keys(config).flatMap((key) =>
    after.config[key] === MASK && config[key] !== MASK ? [`config.${printable(key)} set`] : [],
  );
}

/**
 * Lists the differences between two records of a bot, a line each: `config.interval_ms: 5000 -> 1000`. `given` is the config that
 * the change asked for, if any.
 */
export function botDifferences(before: Bot, after: Bot, given?: unknown): string[] {
  const secrets = newSecrets(after, given);
  const named = (line: string): boolean => secrets.some((one) => line.startsWith(one.replace(/ set$/, ':')));
  const fields = FIELDS.flatMap((field) =>
    before[field] === after[field] ? [] : [`${field}: ${valueText(before[field])} -> ${valueText(after[field])}`],
  );
  return [
    ...fields,
    ...keyChanges('options', before.options, after.options),
    ...keyChanges('config', before.config, after.config).filter((line) => !named(line)),
    ...secrets,
  ];
}
