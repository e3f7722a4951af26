import { useEffect, useRef, useState } from 'react';
import { useHost } from '../../../data/connection-and-user.ts';
import { type HostError, toHostError } from '../../../data/host-error.ts';
import { collectLines, type DownloadForm } from './log-download.ts';
import type { LogFilter } from './log-filter.ts';

export interface Download {
  /** Lines so far; null without a download. */
  readonly lines: number | null;
  readonly seq: number;
  readonly error: HostError | null;
  readonly start: (filter: LogFilter, form: DownloadForm) => void;
  readonly cancel: () => void;
}

/** Saves lines of a bot as a file, in pieces, so that it can be seen and stopped. */
export function useDownload(botId: string, name: string): Download {
  const { socket } = useHost();
  const [progress, setProgress] = useState<{ readonly lines: number; readonly seq: number } | null>(null);
  const [error, setError] = useState<HostError | null>(null);
  const going = useRef<AbortController | null>(null);
  useEffect(() => () => going.current?.abort(), []);
  const start = (filter: LogFilter, form: DownloadForm): void => {
    const stop = new AbortController();
    going.current?.abort();
    going.current = stop;
    setError(null);
    setProgress({ lines: 0, seq: 0 });
    const onProgress = (lines: number, seq: number): void => setProgress({ lines, seq });
    collectLines({ socket, botId, filter, form, signal: stop.signal, onProgress })
      .then((blob) => {
        const day = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
        if (blob !== null) saveFile(blob, `${name}-${day}.${form === 'json' ? 'jsonl' : 'log'}`);
      })
      .catch((thrown) => stop.signal.aborted || setError(toHostError(thrown)))
      .finally(() => {
        if (going.current === stop) setProgress(null);
      });
  };
  const cancel = (): void => {
    going.current?.abort();
    going.current = null;
    setProgress(null);
  };
  return { lines: progress?.lines ?? null, seq: progress?.seq ?? 0, error, start, cancel };
}

/** Hands a file to the person at the browser. */
function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser takes its hold of the file with the click; some do so a moment later.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
