import { useEffect, useState } from 'react';
import type { LogEntry } from '../../contract/telemetry.ts';
import { useHost } from './connection-and-user.ts';
import { type HostError, toHostError } from './host-error.ts';
import type { HostSocket, Subscription } from './socket.ts';

/** The newest lines of a bot. */
export interface LogTail {
  /** Null until the first answer. */
  readonly lines: readonly LogEntry[] | null;
  readonly error: HostError | null;
}

const NOTHING: LogTail = { lines: null, error: null };

/** Follows the newest lines of a bot; a flood is drawn once a frame. */
export function useLogTail(botId: string, count: number): LogTail {
  const { socket } = useHost();
  const [tail, setTail] = useState(NOTHING);
  useEffect(() => followTail(socket, botId, count, setTail), [socket, botId, count]);
  return tail;
}

/**
 * Reports the newest lines until the returned function is called. A failed stream restarts with the next connection.
 */
export function followTail(
  socket: Pick<HostSocket, 'read' | 'stream' | 'onLink'>,
  botId: string,
  count: number,
  show: (tail: LogTail) => void,
): () => void {
  let lines: readonly LogEntry[] | null = null;
  let frame = 0;
  let live: Subscription | null = null;
  let isReading = false;
  let left = false;
  const draw = (): void => {
    frame = 0;
    show({ lines, error: null });
  };
  const add = (more: readonly LogEntry[]): void => {
    const seen = lines?.at(-1)?.seq ?? 0;
    lines = [...(lines ?? []), ...more.filter((one) => one.seq > seen)].slice(-count);
    if (frame === 0) frame = requestAnimationFrame(draw);
  };
  const failed = (error: HostError): void => {
    cancelAnimationFrame(frame);
    frame = 0;
    show({ lines, error });
  };
  const follow = (after: number): void => {
    live = socket.stream(
      'logs.stream',
      { bot_id: botId, after },
      {
        event: (batch) => 'logs' in batch && batch.logs.length > 0 && add(batch.logs),
        end: (error) => {
          live = null;
          if (error !== null) failed(error);
        },
      },
    );
  };
  const begin = async (): Promise<void> => {
    if (isReading || live !== null) return;
    isReading = true;
    try {
      const { entries } = await socket.read('logs.get', { bot_id: botId, limit: count });
      if (left) return;
      add(entries);
      follow(entries.at(-1)?.seq ?? 0);
    } catch (thrown) {
      if (!left) failed(toHostError(thrown));
    } finally {
      isReading = false;
    }
  };
  const unlink = socket.onLink((link) => link === 'open' && void begin());
  void begin();
  return () => {
    left = true;
    cancelAnimationFrame(frame);
    unlink();
    live?.cancel();
  };
}
