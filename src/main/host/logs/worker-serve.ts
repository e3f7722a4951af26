import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import {
  type AnswerMessage,
  type CallMessage,
  errorToBody,
  type WorkerEvent,
  type WorkerSettings,
} from './worker-protocol.ts';

type Handlers<Calls> = { readonly [Name in keyof Calls]: Calls[Name] };

/** The worker's end of a link: settings, events to the main thread, and the calls it answers. */
export interface WorkerSide<Calls> {
  readonly settings: WorkerSettings;
  emit(event: WorkerEvent): void;
  /** Answers calls from now on and says so. */
  serve(handlers: Handlers<Calls>): void;
  /** Lets the thread end: no more calls are taken. */
  end(): void;
}

/** Connects a worker entry to the thread that started it. */
export function workerSide<Calls>(): WorkerSide<Calls> {
  const port = parentPort;
  if (isMainThread || port === null) throw new Error('This file is a worker thread of the host and cannot run alone.');
  const emit = (event: WorkerEvent): void => port.postMessage(event);
  return {
    settings: workerData as WorkerSettings,
    emit,
    serve(handlers) {
      const table = new Map(Object.entries<unknown>({ ...handlers }));
      port.on('message', (message: CallMessage) => {
        const handler = table.get(message.call);
        void answer(message, handler).then((result) => {
          if (result === null) return;
          if (message.id !== null) port.postMessage(result);
          else if (!result.ok) emit({ event: 'report', message: result.error.message, botId: null });
        });
      });
      emit({ event: 'ready' });
    },
    end: () => port.close(),
  };
}

async function answer(message: CallMessage, handler: unknown): Promise<AnswerMessage | null> {
  const id = message.id ?? 0;
  try {
    if (typeof handler !== 'function') throw new Error(`unknown call ${message.call}`);
    const value: unknown = await handler(...message.args);
    return { id, ok: true, value };
  } catch (error) {
    return { id, ok: false, error: errorToBody(error) };
  }
}
