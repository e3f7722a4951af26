import { useCallback, useEffect, useRef, useState } from 'react';
import type { Input, Output, ReadName } from '../../contract/operations.ts';
import { useHost } from './connection-and-user.ts';
import { type HostError, toHostError } from './host-error.ts';

/** An answer that is read again when its question changes. The old one stays until the new one arrives. */
export interface Called<T> {
  readonly data: T | null;
  readonly error: HostError | null;
  readonly loading: boolean;
  readonly reload: () => void;
}

type Read<T> = Omit<Called<T>, 'reload'>;

/** Wait after the host has refused a request as one too many: after an outage many pages come back at once. */
const SOON_MS = 1000;

/** Reads an operation. `null` as input: not yet. */
export function useCall<N extends ReadName>(name: N, input: Input<N> | null): Called<Output<N>> {
  const { socket } = useHost();
  const [state, setState] = useState<Read<Output<N>>>({ data: null, error: null, loading: true });
  const [round, setRound] = useState(0);
  const key = JSON.stringify(input);
  const pending = useRef(false);
  const latest = useRef(input);
  latest.current = input;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the input, `round` for the wish to read again
  useEffect(() => {
    const asked = latest.current;
    if (asked === null) return;
    let left = false;
    let again: ReturnType<typeof setTimeout> | undefined;
    pending.current = true;
    setState((before) => ({ ...before, loading: true }));
    const settle = (next: (before: Read<Output<N>>) => Read<Output<N>>): void => {
      if (left) return;
      pending.current = false;
      setState(next);
    };
    socket.read(name, asked).then(
      (data) => settle(() => ({ data, error: null, loading: false })),
      (thrown) => {
        const error = toHostError(thrown);
        if (error.code !== 'RATE_LIMITED') settle((before) => ({ ...before, error, loading: false }));
        else if (!left) again = setTimeout(() => setRound((before) => before + 1), SOON_MS);
      },
    );
    return () => {
      left = true;
      clearTimeout(again);
      pending.current = false;
    };
  }, [socket, name, key, round]);
  useEffect(() => {
    let lost = socket.link !== 'open';
    return socket.onLink((link) => {
      // What still waits for the connection is asked now anyway.
      if (link === 'open' && lost && !pending.current) setRound((before) => before + 1);
      lost = link !== 'open';
    });
  }, [socket]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  return { ...state, reload };
}

/**
 * For questions repeated before their answer: call once to ask, then the result tells whether it is still the newest.
 */
export function useNewest(): () => () => boolean {
  const last = useRef(0);
  return useCallback(() => {
    last.current += 1;
    const mine = last.current;
    return () => mine === last.current;
  }, []);
}

/** Something that a person sets off: whether it goes on, and what went wrong. */
export interface Action<A extends readonly unknown[]> {
  readonly run: (...args: A) => Promise<boolean>;
  readonly busy: boolean;
  readonly error: HostError | null;
  readonly clear: () => void;
}

export function useAction<A extends readonly unknown[]>(work: (...args: A) => Promise<void>): Action<A> {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<HostError | null>(null);
  const latest = useRef(work);
  latest.current = work;
  const run = useCallback(async (...args: A): Promise<boolean> => {
    setBusy(true);
    setError(null);
    try {
      await latest.current(...args);
      return true;
    } catch (thrown) {
      setError(toHostError(thrown));
      return false;
    } finally {
      setBusy(false);
    }
  }, []);
  const clear = useCallback(() => setError(null), []);
  return { run, busy, error, clear };
}
