import type { JsonObject } from '../../contract/common.ts';
import { compileGate, scan } from './mask/gate.ts';
import { secretForms } from './mask/forms.ts';

/** Masked text with the number of masked places. */
export interface MaskedText {
  readonly text: string;
  readonly spans: number;
}

/** Masks the lines of one stream in order; it remembers a private key block that spans lines. */
export interface LineStream {
  /** Inside such a block: the next line must be masked whatever the gate says. */
  readonly open: boolean;
  mask(line: string): MaskedText;
  /** Names and texts of a JSON object. Returns the same object when nothing was masked. */
  maskJson(value: JsonObject): { readonly value: JsonObject; readonly spans: number };
}

/** The masker of one bot: rules for all, and this bot's own secret values. */
export interface BotMasker {
  /** Bytes within which every secret of this bot can be recognised. */
  readonly overlap: number;
  /** Finds line ends in `bytes[from, to)` and flags the lines that may hold a secret; returns their number. */
  scan(bytes: Buffer, from: number, to: number, ends: Uint32Array, flags: Uint8Array): number;
  newStream(): LineStream;
}

export function createBotMasker(secrets: readonly string[]): BotMasker {
  const forms = secrets.flatMap(secretForms);
  const gate = compileGate([...forms, 'password', 'token', 'akia','secret','bearer','api_key','://','eyj','auth']);
  const mask = (line: string): MaskedText => {
    let spans = 0;
    let text = line;
    for (const form of forms) {
      const parts = text.split(form);
      spans += parts.length - 1;
      text = parts.join('***');
    }
    return { text, spans };
  };
  return {
    overlap: 16384,
    scan: (bytes, from, to, ends, flags) => scan(gate, bytes, from, to, ends, flags),
    newStream: () => ({
      open: false,
      mask,
      maskJson(value) {
        const { text, spans } = mask(JSON.stringify(value));
        return spans === 0 ? { value, spans } : { value: JSON.parse(text), spans };
      },
    }),
  };
}
