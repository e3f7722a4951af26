import { PlatformError } from '../../../contract/errors.ts';
import { secretNames } from '../../../shared/secret-references.ts';
import type { ArmedSubject } from '../arming/armed-hashes.ts';
import type { BotRow } from '../control/bot-store.ts';
import type { NamedSecrets } from '../vault/named-secrets.ts';
import type { BotCode, BotCodeSource } from './bot-code.ts';

interface SubjectDeps {
  readonly secrets: Pick<NamedSecrets, 'classOf'>;
  readonly codes: BotCodeSource;
}

/** Null for a version that is not there: no program of it starts. */
function codeOf({ codes }: SubjectDeps, { userId, customBot, version }: BotRow): BotCode | null {
  try {
    return codes.open(userId, customBot, version);
  } catch (error) {
    if (error instanceof PlatformError) return null;
    throw error;
  }
}

/** What a program of this bot would be started with; null where it refers to no live secret, or has no version to start. */
export function armedSubject(deps: SubjectDeps, bot: BotRow): ArmedSubject | null {
  const secrets = secretNames(bot.config).flatMap((name) => {
    const found = deps.secrets.classOf(bot.userId, name);
    return found === null ? [] : [{ name, class: found }];
  });
  if (!secrets.some((one) => one.class === 'live')) return null;
  const code = codeOf(deps, bot);
  if (code === null) return null;
  return { versionHash: code.hash, config: bot.config, secrets, permits: code.permits };
}
