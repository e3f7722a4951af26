import type { LogEntry } from '../../../../contract/telemetry.ts';
import { toHostError } from '../../../data/host-error.ts';
import { asJson, asText } from './line-formats.ts';
import type { FeedSocket } from './log-feed.ts';
import { filterQuery, type LogFilter } from './log-filter.ts';

export type DownloadForm = 'text' | 'json';

export interface DownloadInput {
  readonly socket: Pick<FeedSocket, 'read'>;
  readonly botId: string;
  readonly filter: LogFilter;
  readonly form: DownloadForm;
  readonly signal: AbortSignal;
  /** Called after each piece with the lines so far and the seq that was reached. */
  readonly onProgress: (lines: number, seq: number) => void;
}

const PAGE = 1000;
const PIECE_CHARS = 4 * 1024 * 1024;
const WRITERS: Readonly<Record<DownloadForm, (entry: LogEntry) => string>> = { text: asText, json: asJson };

/** Reads every line that a filter keeps, oldest first, up to the newest there was at the start. Null when it was given up. */
export async function collectLines(input: DownloadInput): Promise<Blob | null> {
  const { socket, botId, filter, form, signal, onProgress } = input;
  const write = WRITERS[form];
  const { entries: newest } = await socket.read('logs.get', { bot_id: botId, limit: 1 });
  const before = (newest[0]?.seq ?? 0) + 1;
  // A blob lies outside of the page's memory, so many small ones keep the page small.
  const pieces: Blob[] = [];
  let text = '';
  let lines = 0;
  let after = 0;
  for (;;) {
    if (signal.aborted) return null;
    const query = { ...filterQuery(filter), bot_id: botId, after, before, limit: PAGE };
    const page = await patiently(() => socket.read('logs.get', query), signal);
    for (const entry of page.entries) text += `${write(entry)}\n`;
    if (text.length > PIECE_CHARS) {
      pieces.push(new Blob([text]));
      text = '';
    }
    lines += page.entries.length;
    const last = page.entries.at(-1)?.seq;
    if (!page.truncated) break;
    after = last ?? (page.older_before ?? after + 1) - 1;
    onProgress(lines, after);
  }
  return new Blob([...pieces, text], { type: form === 'json' ? 'application/x-ndjson' : 'text/plain' });
}

/** Calls again after a moment when the host refuses a request as one too many. */
async function patiently<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (thrown) {
      if (signal.aborted || toHostError(thrown).code !== 'RATE_LIMITED') throw thrown;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}
