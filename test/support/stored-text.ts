import { createBotMasker } from '../../src/main/host/logs/create-bot-masker.ts';
import { type TakenLine, takeLine } from '../../src/main/host/logs/line-intake.ts';

/** The stored parts of a line as one text. */
function textOf(taken: TakenLine): string {
  return taken.kind === 'metric'
    ? `${taken.type} ${taken.data} ${taken.symbol ?? ''}`
    : `${taken.line} ${taken.fields ?? ''}`;
}

/**
 * All that is stored of a text that a bot prints, on the way that it takes: the keyword automaton, the classes of lines, the masker.
 * One call is one stream: lines of a private key belong together.
 */
export function storeText(secrets: readonly string[] = []): (text: string) => string {
  const masker = createBotMasker(secrets);
  return (text) => {
    const bytes = Buffer.from(`${text}\n`);
    const ends = new Uint32Array(bytes.length);
    const flags = new Uint8Array(bytes.length);
    const count = masker.scan(bytes, 0, bytes.length, ends, flags);
    const stream = masker.newStream();
    const stored: string[] = [];
    let start = 0;
    for (let i = 0; i < count; i++) {
      const end = ends[i] ?? 0;
      stored.push(textOf(takeLine(bytes.toString('utf8', start, end), flags[i] !== 0, stream, masker)));
      start = end + 1;
    }
    return stored.join('\n');
  };
}
