import type { JsonObject } from '../../../contract/common.ts';

/** The bot of a config, and the version that marks what is secret in it. */
export interface ConfigOwner {
  readonly botId: string;
  readonly userId: string;
  readonly customBot: string;
  readonly version: string;
}

/** Seals what is secret in rows before they are stored, and opens it on reading. */
export interface RowSeal {
  /** The config with its secrets sealed. Throws SECRETS_SEALED if it holds some and this host does not have the key. */
  sealConfig(owner: ConfigOwner, config: JsonObject): JsonObject;
  /** The config with its secrets opened; what does not open here stays sealed, and is stored again as it is. */
  openConfig(botId: string, config: JsonObject): JsonObject;
  /** The secrets of a running program, as stored. */
  sealTexts(recordId: string, texts: readonly string[]): string;
  /** The secrets of a running program; empty if they do not open here. */
  openTexts(recordId: string, stored: string): readonly string[];
}

/** The record by which secrets in the config of a bot are sealed. */
export const botRecord = (botId: string): string => `bot:${botId}`;

/** The record by which the secrets of a running program are sealed. */
export const unitRecord = (runId: string, role: string): string => `unit:${runId}:${role}`;
