import type { JsonObject } from '../../../contract/common.ts';
import { REDACTED } from '../../../packaging/config-secrets.ts';
import { isJsonObject, ownValue, safeJsonObject } from '../../../shared/json.ts';
import { replaceValues } from '../../../shared/secret-references.ts';
import { createMasker } from '../logs/mask/masker.ts';
import type { BotCode } from './bot-code.ts';
import { redactedConfig } from './redacted-config.ts';

/** Who reads what a change would make different: the person who approves it, or a key, which may have asked for it. */
export type ChangeReader = 'person' | 'key';

type Hiding = Pick<BotCode, 'redact' | 'secrets'>;

/** The effective configs of a bot before and after a change, and what hides their secrets. */
export interface ChangedConfig {
  readonly present: Hiding;
  readonly next: Hiding;
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/**
 * A masker of secret texts wherever they stand. A number is no secret by its value: else whoever sets a secret to an amount would
 * hide that amount everywhere, and whoever sends all short numbers would be told which of them is stored.
 */
const textMasker = (values: readonly string[]) => createMasker(values.filter((value) => Number.isNaN(Number(value))));

/** Paths of the outermost lists in which something is hidden. */
function* hidingLists(real: unknown, shown: unknown, path: readonly string[] = []): Generator<string> {
  if (JSON.stringify(real) === JSON.stringify(shown)) return;
  if (Array.isArray(real)) yield JSON.stringify(path);
  else if (isJsonObject(real) && isJsonObject(shown))
    for (const key of Object.keys(real)) yield* hidingLists(ownValue(real, key), ownValue(shown, key), [...path, key]);
}

const hideWhole = (value: unknown): unknown =>
  replaceValues(value, (one) => (typeof one === 'string' || typeof one === 'number' ? REDACTED : undefined));

function withoutLists(value: unknown, lists: ReadonlySet<string>, path: readonly string[] = []): unknown {
  if (Array.isArray(value)) return lists.has(JSON.stringify(path)) ? hideWhole(value) : value;
  if (!isJsonObject(value)) return value;
  return safeJsonObject(Object.entries(value).map(([key, item]) => [key, withoutLists(item, lists, [...path, key])]));
}

/** Hides of a config what either version hides; whole lists, since a stored item can have been put back at any of their places. */
function hiddenByEither({ present, next, before, after }: ChangedConfig): (config: JsonObject) => JsonObject {
  const redact = (config: JsonObject): JsonObject => next.redact(present.redact(config));
  const lists = new Set([before, after].flatMap((config) => [...hidingLists(config, redact(config))]));
  return (config) => {
    const hidden = withoutLists(redact(config), lists);
    return isJsonObject(hidden) ? hidden : {};
  };
}

/**
 * The form in which a reader sees each of the two configs.
 *
 * A person sees everything that the present version of the bot does not hide: what the new one hides is the choice of whoever asks.
 * A key sees nothing that either version hides, since it may have written the new version: one that hides less would tell it the
 * secrets that are stored.
 */
export function settingsFor(reader: ChangeReader, changed: ChangedConfig): (config: JsonObject) => JsonObject {
  const { present, next, before, after } = changed;
  if (reader === 'person') {
    const masker = textMasker(present.secrets(before));
    return (config) => redactedConfig(present, config, masker);
  }
  const masker = textMasker([present, next].flatMap((code) => [...code.secrets(before), ...code.secrets(after)]));
  const either = { redact: hiddenByEither(changed) };
  return (config) => redactedConfig(either, config, masker);
}
