import type { JsonObject } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { replaceSecrets } from '../../../packaging/config-secrets.ts';
import { isJsonObject } from '../../../shared/json.ts';
import { isSealed, replaceValues, type SealedValue } from '../../../shared/secret-references.ts';
import { botRecord, type ConfigOwner, type RowSeal } from '../control/row-seal.ts';
import type { SecretBox } from './secret-box.ts';

type Change = (value: string | number | SealedValue) => unknown;

/** A published version, as far as it tells what is secret in a config. */
export interface Marks {
  mapSecrets(config: JsonObject, change: Change): JsonObject;
}

/** For a version that cannot be opened: every text and number may be a secret. */
const EVERYTHING: Marks = { mapSecrets: (config, change) => replaceSecrets({ 'x-secret': true }, config, change) };

/** Throws CUSTOM_BOT_NOT_FOUND for a version that is not there. */
export type MarksOf = (owner: ConfigOwner) => Marks;

function marksOrEverything(marksOf: MarksOf, owner: ConfigOwner): Marks {
  try {
    return marksOf(owner);
  } catch (error) {
    if (error instanceof PlatformError) return EVERYTHING;
    throw error;
  }
}

/** What the stores of rows know as `RowSeal` (control/row-seal.ts), by a vault. `isOpen` tells whether this machine has the key. */
export function createRowSeal(box: SecretBox & { readonly isOpen: boolean }, marksOf: MarksOf): RowSeal {
  return {
    sealConfig(owner, config) {
      const record = botRecord(owner.botId);
      return marksOrEverything(marksOf, owner).mapSecrets(config, (value) =>
        isSealed(value) ? value : { $sealed: box.seal(record, JSON.stringify(value)) },
      );
    },
    openConfig(botId, config) {
      const record = botRecord(botId);
      const opened = replaceValues(config, (value) => {
        if (!isSealed(value)) return undefined;
        const text = box.open(record, value.$sealed);
        return text === undefined ? value : JSON.parse(text);
      });
      return isJsonObject(opened) ? opened : config;
    },
    // Without the key no secret of a config reaches a program: these are texts that the host can make again.
    sealTexts: (recordId, texts) => {
      const text = JSON.stringify(texts);
      return texts.length > 0 && box.isOpen ? box.seal(recordId, text) : text;
    },
    openTexts(recordId, stored) {
      // Earlier releases stored them in the clear.
      const text = stored.startsWith('[') ? stored : box.open(recordId, stored);
      return text === undefined ? [] : JSON.parse(text);
    },
  };
}
