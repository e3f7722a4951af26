import type { BotCodeSource } from '../bots/bot-code.ts';
import type { Catalog } from '../catalog/catalog.ts';

/** The catalogue as the supervisor sees it. */
export function codeSourceOf(catalog: Catalog): BotCodeSource {
  return {
    open(userId, customBot, version) {
      const record = catalog.get(userId, customBot, version);
      const validator = catalog.validator(userId, customBot, version);
      return {
        botType: record.type,
        codeDir: catalog.codeDir(userId, customBot, version),
        runtime: record.runtime,
        botEntry: record.entrypoints.bot,
        queryEntry: record.entrypoints.query ?? null,
        validate: (config) => validator.validate(config),
        secrets: (config) => validator.secrets(config),
        redact: (config) => validator.redact(config),
        restore: (config, stored) => validator.restore(config, stored),
      };
    },
  };
}
