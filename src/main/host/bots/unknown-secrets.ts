import type { JsonObject } from '../../../contract/common.ts';
import type { Problem } from '../../../contract/errors.ts';
import { configPath } from '../../../shared/config-words.ts';
import { isJsonObject } from '../../../shared/json.ts';
import { replaceValues, valuesWhere } from '../../../shared/secret-references.ts';
import { createMasker } from '../logs/mask/masker.ts';
import type { BotCode } from './bot-code.ts';

/** What the check of a config takes for a secret whose value is not known yet. */
const UNKNOWN = { $secret: 'unknown' } as const;

const shapes = createMasker([]);

const isShownMasked = (value: unknown): boolean => typeof value === 'string' && shapes.maskText(value) !== value;

/** A config without the values that answers hide: by the schema, by their names, and by the shape of a password or token in them. */
function withoutHidden(present: Pick<BotCode, 'mapSecrets'>, config: JsonObject): JsonObject {
  const known = replaceValues(
    present.mapSecrets(config, () => UNKNOWN),
    (value) => (value === UNKNOWN || isShownMasked(value) ? UNKNOWN : undefined),
  );
  return isJsonObject(known) ? known : {};
}

const masked = ({ path, message, hint }: Problem): Problem => ({
  path: shapes.maskText(path),
  message: shapes.maskText(message),
  ...(hint === undefined ? {} : { hint: shapes.maskText(hint) }),
});

/**
 * What a version finds wrong with a config, whatever the values are that the present version hides. A key may have written the
 * version: each answer about a hidden value would tell a part of it.
 */
export function problemsOfKnown(
  code: Pick<BotCode, 'validate'>,
  present: Pick<BotCode, 'mapSecrets'>,
  config: JsonObject,
): readonly Problem[] {
  const known = withoutHidden(present, config);
  const hidden = new Set(valuesWhere(known, (one) => one === UNKNOWN).map(({ path }) => configPath(path, known)));
  return code
    .validate(known)
    .problems.filter(({ path }) => !hidden.has(path))
    .map(masked);
}
