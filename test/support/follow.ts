import type { LogEntry } from '../../src/contract/telemetry.ts';
import { createSseParser } from '../../src/shared/sse.ts';
import type { TestHost } from './platform.ts';

/** Live lines of a bot. */
export interface Follower {
  /** Resolves to the gap that ended it, or null when the connection ended otherwise, e.g. with its host. */
  readonly ended: Promise<{ from_seq: number } | null>;
  stop(): void;
}

/** Reads the live lines of a bot until the connection ends; resolves once it is open. */
export async function follow(
  host: TestHost,
  botId: string,
  after: number | null,
  take: (lines: readonly LogEntry[]) => void,
): Promise<Follower> {
  const stop = new AbortController();
  const headers = after === null ? {} : { 'last-event-id': String(after) };
  const response = await host.fetch(`/api/v1/bots/${botId}/stream`, { signal: stop.signal, headers });
  if (!response.ok) throw new Error(`the stream was refused: ${response.status} ${await response.text()}`);
  let gap: { from_seq: number } | null = null;
  const parser = createSseParser((event) => {
    const batch = JSON.parse(event.data);
    if ('gap' in batch) gap = batch.gap;
    else take(batch.logs);
  });
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  const next = () =>
    reader?.read().catch(() => {
      // What was received whole counts; how the connection ended says nothing.
      return undefined;
    });
  const read = async (): Promise<{ from_seq: number } | null> => {
    for (let part = await next(); part !== undefined && !part.done; part = await next())
      parser.push(decoder.decode(part.value, { stream: true }));
    return gap;
  };
  return { ended: read(), stop: () => stop.abort() };
}

/**
 * Reads the live lines of a bot and goes on after each gap from the last line it was given, as a browser does by itself.
 * Gives the end of that.
 */
export async function followOn(
  host: TestHost,
  botId: string,
  after: number,
  take: (lines: readonly LogEntry[]) => void,
): Promise<() => Promise<void>> {
  let last = after;
  let stopped = false;
  const next = () =>
    follow(host, botId, last, (lines) => {
      last = lines.at(-1)?.seq ?? last;
      take(lines);
    });
  let follower = await next();
  const reading = (async (): Promise<void> => {
    while ((await follower.ended) !== null && !stopped) follower = await next();
  })();
  return async () => {
    stopped = true;
    follower.stop();
    await reading;
  };
}
