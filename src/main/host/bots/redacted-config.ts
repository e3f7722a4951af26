import type { JsonObject } from '../../../contract/common.ts';
import { invalid, PlatformError } from '../../../contract/errors.ts';
import { secretProperties } from '../../../packaging/config-secrets.ts';
import { isJsonObject, mergeOwn, ownValue, safeJsonObject, setOwn, stableStringify } from '../../../shared/json.ts';
import { isSealed, secretNameOf, valuesWhere } from '../../../shared/secret-references.ts';
import type { BotRow } from '../control/bot-store.ts';
import { createMasker, type TextMasker } from '../logs/mask/masker.ts';
import { MASK } from '../logs/mask/spans.ts';
import type { BotCode } from './bot-code.ts';

const shapes = createMasker([]);

/**
 * A config in its public form: secrets by schema or by name read `********`, and known shapes of secrets inside other
 * texts, such as the password of an address, are masked, and the values of a masker that has some.
 */
export function redactedConfig(
  code: Pick<BotCode, 'redact'>,
  config: JsonObject,
  masker: Pick<TextMasker, 'maskJson'> = shapes,
): JsonObject {
  const shown = masker.maskJson(code.redact(config));
  if (!isJsonObject(shown)) return {};
  for (const { path, value } of valuesWhere(config, (one) => secretNameOf(one) !== null)) {
    // The name of a secret is none.
    const holder = path.slice(0, -1).reduce<unknown>((at, key) => (at as JsonObject | undefined)?.[key], shown);
    if (typeof holder === 'object' && holder !== null) setOwn(holder, path.at(-1) ?? '', value);
  }
  return shown;
}

/** Checks a bot's config against its version. */
interface Preparing {
  prepare(bot: BotRow): { readonly secrets: readonly string[] };
}

/** By row: it stays the same object until it is written, and a published version never changes. */
const known = new WeakMap<BotRow, readonly string[]>();

/**
 * The secret values of a bot's present config. If its version cannot be opened or its config not be checked, every
 * value counts as secret.
 */
export function botSecrets(unitSpecs: Preparing, bot: BotRow): readonly string[] {
  const before = known.get(bot);
  if (before !== undefined) return before;
  try {
    const { secrets } = unitSpecs.prepare(bot);
    known.set(bot, secrets);
    return secrets;
  } catch {
    // The start of the bot reports a faulty version; its log must stay readable meanwhile.
    return secretProperties({ 'x-secret': true }, bot.config).map(({ value }) => value);
  }
}

/** True while secrets of a bot cannot be opened, so that nobody knows which texts hold one. */
export function areSealed(unitSpecs: Preparing, bot: BotRow): boolean {
  if (known.has(bot)) return false;
  try {
    unitSpecs.prepare(bot);
    return false;
  } catch (error) {
    return error instanceof PlatformError && error.code === 'SECRETS_SEALED';
  }
}

/** The stored item whose masked form matches; undefined if none or several different ones do. */
function sameItem(sent: unknown, shown: readonly unknown[], stored: readonly unknown[]): unknown {
  const face = stableStringify(sent);
  const found = stored.filter((_, index) => stableStringify(shown[index] ?? null) === face);
  const [first] = found;
  return found.every((item) => stableStringify(item) === stableStringify(first)) ? first : undefined;
}

/** List items are matched by their masked form, never by position: the client may have sorted or cut the list. */
function putBackItems(sent: readonly unknown[], shown: readonly unknown[], stored: readonly unknown[]): unknown[] {
  return sent.map((item, index) => {
    if (stableStringify(item) === stableStringify(shown[index] ?? null) && shown.length === sent.length)
      return stored[index];
    return sameItem(item, shown, stored) ?? item;
  });
}

/** A sent JSON value with the stored text wherever it repeats the masked one. */
export function putBack(sent: unknown, shown: unknown, stored: unknown): unknown {
  if (typeof sent === 'string') {
    const isOne = typeof stored === 'string' || typeof stored === 'number' || isSealed(stored);
    return sent === shown && isOne ? stored : sent;
  }
  if (Array.isArray(sent)) {
    return Array.isArray(shown) && Array.isArray(stored) ? putBackItems(sent, shown, stored) : sent;
  }
  if (!isJsonObject(sent) || !isJsonObject(shown) || !isJsonObject(stored)) return sent;
  const copy: JsonObject = {};
  for (const [key, value] of Object.entries(sent)) {
    setOwn(copy, key, putBack(value, ownValue(shown, key), ownValue(stored, key)));
  }
  return copy;
}

/** Every text in a JSON value with its path, names of properties too: an address may be one. */
function* textsOf(value: unknown, path: readonly string[] = []): Generator<[path: string, text: string]> {
  if (typeof value === 'string') yield [path.join('.'), value];
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      yield [path.join('.'), key];
      yield* textsOf(item, [...path, key]);
    }
  }
}

/** Refuses texts that still contain a mask: stored, it would replace the secret. */
export function refuseHidden(whole: unknown, shown: unknown, stored: unknown, at: string): void {
  const real = new Set([...textsOf(stored)].map(([, text]) => text));
  const hidden = [...textsOf(shown)].some(([, text]) => text.includes(MASK) && !real.has(text));
  if (!hidden) return;
  const wrong = [...textsOf(whole)].filter(([, text]) => text.includes(MASK) && !real.has(text));
  if (wrong.length === 0) return;
  throw invalid(
    at === 'config' ? 'INVALID_CONFIG' : 'INVALID_REQUEST',
    wrong.map(([path]) => ({
      path: path === '' ? at : `${at}.${path}`,
      message: `holds "${MASK}", which stands for something hidden that cannot be told from here`,
      hint: 'Send the whole real value.',
    })),
  );
}

/** Throws INVALID_CONFIG for a value in the form in which the host stores secrets: a client never has one to send. */
function refuseSealed(sent: unknown): void {
  const [found] = valuesWhere(sent, isSealed);
  if (found === undefined) return;
  const message = 'is a sealed value, which only the host makes';
  throw invalid('INVALID_CONFIG', [
    { path: ['config', ...found.path].join('.'), message, hint: 'Send the value itself, or {"$secret": "NAME"}.' },
  ]);
}

/**
 * A client's config with stored values in place of masks; throws INVALID_CONFIG where none is stored. The client saw
 * the masks of the version `before`, which may hide other values than the requested version.
 */
export function readConfig(code: BotCode, sent: JsonObject, stored: JsonObject, before = code): JsonObject {
  refuseSealed(sent);
  const shown = redactedConfig(before, stored);
  const whole = putBack(sent, shown, stored);
  const restored = code.restore(isJsonObject(whole) ? whole : sent, stored);
  refuseHidden(restored, shown, stored, 'config');
  return restored;
}

/** A JSON Merge Patch (RFC 7396) applied to a value. */
function merged(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const result: JsonObject = isJsonObject(target) ? mergeOwn(target) : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else setOwn(result, key, merged(ownValue(result, key), value));
  }
  return result;
}

/** The value without the parts that a patch removes: other secrets keep their values. */
function withoutRemoved(value: unknown, patch: unknown): unknown {
  if (!isJsonObject(value) || !isJsonObject(patch)) return value;
  const kept = Object.entries(value).filter(([key]) => ownValue(patch, key) !== null);
  return safeJsonObject(kept.map(([key, item]) => [key, withoutRemoved(item, ownValue(patch, key))]));
}

/** A config after a JSON Merge Patch; masks as in readConfig. */
export function patchConfig(code: BotCode, patch: JsonObject, stored: JsonObject, before = code): JsonObject {
  refuseSealed(patch);
  const shown = redactedConfig(before, stored);
  const whole = merged(stored, putBack(patch, shown, stored));
  const restored = code.restore(isJsonObject(whole) ? whole : {}, stored);
  refuseHidden(restored, shown, stored, 'config');
  const result = withoutRemoved(restored, patch);
  return isJsonObject(result) ? result : {};
}

/** The config that an update asks for: a whole one, a patch of the stored one, or the stored one. */
export function changedConfig(
  code: BotCode,
  before: BotCode,
  change: { readonly config?: JsonObject; readonly configPatch?: JsonObject },
  stored: JsonObject,
): JsonObject {
  if (change.configPatch !== undefined) return patchConfig(code, change.configPatch, stored, before);
  return change.config === undefined ? stored : readConfig(code, change.config, stored, before);
}
