import type { TradeMode } from '../../../contract/bot.ts';
import type { JsonObject } from '../../../contract/common.ts';
import type { BotCode } from './bot-code.ts';
import { redactedConfig } from './redacted-config.ts';

/** A version, and the config with which it runs. */
interface Running {
  readonly code: BotCode;
  readonly effective: JsonObject;
}

/**
 * What a run that starts now trades with (docs/architecture/ledger.md#modes). A version that declares no `paper` may ignore
 * PLATFORM_MODE, and a program with a key in its config can trade whatever it was told.
 */
export function tradeModeOf({ code, effective }: Running): TradeMode {
  const holdsKey = JSON.stringify(redactedConfig(code, effective)) !== JSON.stringify(effective);
  return code.modes.includes('paper') && !holdsKey ? 'paper' : 'unverified';
}
