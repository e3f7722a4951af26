import type { Readable, Writable } from 'node:stream';
import type { WarmChannel } from './engine.ts';

/** The two ends that the host holds of a program that waits for its question. */
export interface WarmEnds {
  /** The program's standard input. */
  readonly input: Writable;
  /** Output of the program to the file descriptor that PLATFORM_QUERY_WARM names. */
  readonly reports: Readable;
  /** Settles when the program is gone. */
  readonly exited: Promise<unknown>;
}

const READY = 'ready\n';
const DONE = 'done\n';

/**
 * The protocol with a program that waits for its question. The program is not trusted: anything but the two expected
 * words, each at its time, breaks the channel, and nothing beyond them is kept.
 */
export function createWarmChannel({ input, reports, exited }: WarmEnds): WarmChannel {
  const ready = Promise.withResolvers<boolean>();
  const done = Promise.withResolvers<boolean>();
  let expected = READY;
  let said = '';
  let waits = false;
  let asked = false;

  const close = (): void => {
    waits = false;
    ready.resolve(false);
    done.resolve(false);
    input.destroy();
    reports.destroy();
  };
  const finishWord = (): void => {
    if (expected === READY) {
      waits = true;
      expected = DONE;
      said = '';
      ready.resolve(true);
    } else {
      done.resolve(true);
      close();
    }
  };
  reports.on('data', (chunk: Buffer | string) => {
    said += chunk.slice(0, DONE.length + READY.length).toString('latin1');
    const early = expected === DONE && !asked;
    if (early || chunk.length > expected.length || !expected.startsWith(said)) close();
    else if (said === expected) finishWord();
  });
  for (const end of ['end', 'close', 'error']) reports.on(end, close);
  // A failed write shows as the program's end, or as its silence.
  input.on('error', close);
  exited.then(close, close);

  return {
    ready: ready.promise,
    get isWaiting() {
      return waits;
    },
    ask(question) {
      if (!waits) return Promise.resolve(false);
      waits = false;
      asked = true;
      input.end(`${question}\n`);
      return done.promise;
    },
  };
}
