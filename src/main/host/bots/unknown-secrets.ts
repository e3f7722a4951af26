import type { JsonObject } from '../../../contract/common.ts';
import type { Problem } from '../../../contract/errors.ts';
import { configPath } from '../../../shared/config-words.ts';
import { valuesWhere } from '../../../shared/secret-references.ts';
import type { BotCode } from './bot-code.ts';

/** What the check of a config takes for a secret whose value is not known yet. */
const UNKNOWN = { $secret: 'unknown' } as const;

/**
 * What a version finds wrong with a config, whatever the values are that the present version hides. A key may have written the
 * version: each answer about a hidden value would tell a part of it.
 */
export function problemsOfKnown(
  code: Pick<BotCode, 'validate'>,
  present: Pick<BotCode, 'mapSecrets'>,
  config: JsonObject,
): readonly Problem[] {
  const known = present.mapSecrets(config, () => UNKNOWN);
  const hidden = new Set(valuesWhere(known, (one) => one === UNKNOWN).map(({ path }) => configPath(path, known)));
  return code.validate(known).problems.filter(({ path }) => !hidden.has(path));
}
