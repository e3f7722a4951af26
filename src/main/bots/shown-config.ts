import type { JsonObject } from '../../contract/common.ts';
import { isJsonObject, ownValue, setOwn } from '../../isomorphic/json.ts';
import { createMasker } from '../telemetry/mask/masker.ts';
import type { BotCode } from './bot-code.ts';

const shapes = createMasker([]);

/**
 * A config as every read surface shows it (wire.md section 10): what the schema or a name marks as secret reads
 * `********`, and known shapes of secrets inside other texts, such as the password of an address, are masked.
 */
export function shownConfig(code: BotCode, config: JsonObject): JsonObject {
  const shown = shapes.maskJson(code.redact(config));
  return isJsonObject(shown) ? shown : {};
}

/** A JSON value that was sent, with the stored text put back wherever the sent one is what was shown in its place. */
export function putBack(sent: unknown, shown: unknown, stored: unknown): unknown {
  if (typeof sent === 'string') return sent === shown && typeof stored === 'string' ? stored : sent;
  if (Array.isArray(sent) && Array.isArray(shown) && Array.isArray(stored)) {
    return sent.map((item: unknown, index) => putBack(item, shown[index], stored[index]));
  }
  if (!isJsonObject(sent) || !isJsonObject(shown) || !isJsonObject(stored)) return sent;
  const copy: JsonObject = {};
  for (const [key, value] of Object.entries(sent)) {
    setOwn(copy, key, putBack(value, ownValue(shown, key), ownValue(stored, key)));
  }
  return copy;
}

/** A config that a client sent, with hidden values as they are stored; throws INVALID_CONFIG where none is stored. */
export function readConfig(code: BotCode, sent: JsonObject, stored: JsonObject): JsonObject {
  const whole = putBack(sent, shownConfig(code, stored), stored);
  return code.restore(isJsonObject(whole) ? whole : sent, stored);
}
