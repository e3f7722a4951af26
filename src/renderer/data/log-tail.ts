import { useEffect, useState } from 'react';
import type { LogEntry } from '../../contract/telemetry.ts';
import { useHost } from './host.ts';
import { type HostError, toHostError } from './host-error.ts';

/** The newest lines of a bot. */
export interface LogTail {
  /** Null until the first answer. */
  readonly lines: readonly LogEntry[] | null;
  readonly error: HostError | null;
}

/** Follows the newest lines of a bot; a flood is drawn once a frame. */
export function useLogTail(botId: string, count: number): LogTail {
  const { socket } = useHost();
  const [tail, setTail] = useState<LogTail>({ lines: null, error: null });
  useEffect(() => {
    let lines: readonly LogEntry[] = [];
    let frame = 0;
    const draw = (): void => {
      frame = 0;
      setTail({ lines, error: null });
    };
    const add = (more: readonly LogEntry[]): void => {
      const seen = lines.at(-1)?.seq ?? 0;
      lines = [...lines, ...more.filter((one) => one.seq > seen)].slice(-count);
      if (frame === 0) frame = requestAnimationFrame(draw);
    };
    let cancel = (): void => undefined;
    let left = false;
    socket.call('logs.get', { bot_id: botId, limit: count }).then(
      ({ entries }) => {
        if (left) return;
        add(entries);
        const after = entries.at(-1)?.seq ?? 0;
        const live = socket.stream(
          'logs.stream',
          { bot_id: botId, after },
          {
            event: (batch) => 'logs' in batch && batch.logs.length > 0 && add(batch.logs),
            end: (error) => error !== null && setTail({ lines, error }),
          },
        );
        cancel = () => live.cancel();
      },
      (thrown) => left || setTail({ lines: null, error: toHostError(thrown) }),
    );
    return () => {
      left = true;
      cancelAnimationFrame(frame);
      cancel();
    };
  }, [socket, botId, count]);
  return tail;
}
