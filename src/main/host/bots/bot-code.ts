import type { BotType } from '../../../contract/bot.ts';
import type { JsonObject } from '../../../contract/common.ts';
import type { DeclaredMode, NamedInterpreter } from '../../../contract/custom-bot.ts';
import type { Problem } from '../../../contract/errors.ts';
import type { Permits } from '../../../contract/permits.ts';
import type { SealedValue } from '../../../shared/secret-references.ts';

/** A published version as the supervisor needs it: where its code is and how its config is checked. */
export interface BotCode {
  readonly botType: BotType;
  /** Of the content of its package. */
  readonly hash: string;
  readonly codeDir: string;
  /** Canonical runtime id. */
  readonly runtime: string;
  /** The interpreter that the package names; null where its runtime has one. */
  readonly command: NamedInterpreter | null;
  readonly botEntry: string;
  readonly queryEntry: string | null;
  /** The package says `prewarm_queries`. */
  readonly prewarmsQueries: boolean;
  /** What the package says it can trade with; empty where it does not say. */
  readonly modes: readonly DeclaredMode[];
  /** What the package asks for; null where it does not say. */
  readonly permits: Permits | null;
  /** Applies defaults and checks; never throws for bad values. */
  validate(config: JsonObject): { readonly effective: JsonObject; readonly problems: readonly Problem[] };
  /** Values of the effective config to mask in everything the bot says. */
  secrets(effective: JsonObject): readonly string[];
  /** The config as read surfaces show it. */
  redact(config: JsonObject): JsonObject;
  /** A copy of a config in which `change` replaces each secret value. */
  mapSecrets(config: JsonObject, change: (value: string | number | SealedValue) => unknown): JsonObject;
  /** A config sent back with redacted values, with the stored values put back in. */
  restore(config: JsonObject, stored: JsonObject): JsonObject;
}

/** Finds the code of a version; throws CUSTOM_BOT_NOT_FOUND. */
export interface BotCodeSource {
  open(userId: string, customBot: string, version: string): BotCode;
}
