import { Worker } from 'node:worker_threads';
import type { BackupInfo, NewBackup } from '../../../contract/backup.ts';
import { type ErrorBody, PlatformError } from '../../../contract/errors.ts';
import type { DataFolder } from '../../../node/data-folder.ts';
import { workerUrl } from '../../../node/worker-url.ts';
import { listBackups, removeCutBackups } from './backup.ts';

/** Start data of the worker thread of a backup. */
export interface BackupTask {
  readonly dataDir: string;
  readonly withLogs: boolean;
  readonly version: string;
  /** As `BackupOptions.states`. */
  readonly states: Readonly<Record<string, string>>;
}

/** The one message of the worker. */
export type BackupMessage =
  | { readonly ok: true; readonly result: NewBackup }
  | { readonly ok: false; readonly error: ErrorBody };

/** Told of each backup: also the next host must learn of one that this host has not ended. */
export interface BackupListener {
  begun(): void;
  /** `error`: why it failed; null if it did not. */
  ended(error: unknown): void;
}

/** Backups of a running host, one at a time, in a worker thread, so that a long one delays no request. */
export class Backups {
  readonly #folder: DataFolder;
  readonly #version: string;
  readonly #states: () => Promise<Readonly<Record<string, string>>>;
  readonly #listener: BackupListener;
  #making: Promise<unknown> = Promise.resolve();
  #worker: Worker | null = null;
  #closed = false;

  /** `states` finds the states that lie outside of the data folder, as `BackupOptions.states`. */
  constructor(
    folder: DataFolder,
    version: string,
    states: () => Promise<Readonly<Record<string, string>>>,
    listener: BackupListener,
  ) {
    this.#folder = folder;
    this.#version = version;
    this.#states = states;
    this.#listener = listener;
  }

  /** Removes the remains of interrupted backups; called before the first backup is made. */
  sweep(): Promise<void> {
    return removeCutBackups(this.#folder);
  }

  list(): Promise<BackupInfo[]> {
    return listBackups(this.#folder);
  }

  /** Makes a backup, after any backup that is already being made. Throws DATA_DAMAGED or STORAGE_FULL. */
  make(withLogs: boolean): Promise<NewBackup> {
    const made = this.#making.then(() => this.#told(withLogs));
    this.#making = made.catch(() => undefined);
    return made;
  }

  async #told(withLogs: boolean): Promise<NewBackup> {
    this.#listener.begun();
    try {
      const made = await this.#run(withLogs);
      this.#listener.ended(null);
      return made;
    } catch (error) {
      this.#listener.ended(error);
      throw error;
    }
  }

  /** Aborts the running backup and the waiting ones: an incomplete one never counts. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker?.terminate();
    await this.#making;
    await removeCutBackups(this.#folder);
  }

  async #run(withLogs: boolean): Promise<NewBackup> {
    if (this.#closed) throw cutShort();
    const states = await this.#states();
    if (this.#closed) throw cutShort();
    const task: BackupTask = { dataDir: this.#folder.root, withLogs, version: this.#version, states };
    const worker = new Worker(workerUrl('backup', import.meta.url), { workerData: task });
    this.#worker = worker;
    try {
      const message = await new Promise<BackupMessage>((resolve, reject) => {
        worker.once('message', resolve);
        worker.once('error', reject);
        worker.once('exit', () => reject(cutShort()));
      });
      if (message.ok) return message.result;
      const { code, message: text, hint, details } = message.error;
      throw new PlatformError(code, text, { hint: hint ?? undefined, details });
    } finally {
      this.#worker = null;
      await worker.terminate();
    }
  }
}

function cutShort(): PlatformError {
  return new PlatformError('INTERNAL', 'The backup was cut short');
}
