import { PlatformError } from '../../../contract/errors.ts';
import { keyFile, keyIdOf, makeKey, openKeyFolder, readKey, storeKey } from '../../../node/key-file.ts';
import type { VaultStore } from '../control/vault-store.ts';
import { keyOfRecoveryKey, recoveryKeyOf } from './recovery-key.ts';
import { openWith, type SecretBox, sealWith } from './secret-box.ts';

export interface VaultDeps {
  readonly store: VaultStore;
  /** Folder of the keys; not below `dataDir`. */
  readonly keyFolder: string;
  readonly dataDir: string;
  readonly now: () => number;
}

/**
 * Seals and opens secrets. The keys lie outside of the data folder, in files named by their ids; control.db stores the id of
 * the one that seals. A data folder whose key is missing gets no other one by itself: what it holds stays sealed.
 */
export class Vault implements SecretBox {
  readonly #deps: VaultDeps;
  readonly #keys = new Map<string, Buffer>();

  private constructor(deps: VaultDeps) {
    this.#deps = deps;
  }

  /** Opens the vault of a data folder, with a first key if it has none. Throws INVALID_REQUEST for an unsafe key file. */
  static async open(deps: VaultDeps): Promise<Vault> {
    const vault = new Vault(deps);
    openKeyFolder(deps.keyFolder, deps.dataDir);
    if (deps.store.get() === null) await vault.#begin();
    else vault.#key(vault.keyId);
    return vault;
  }

  /** The id of the key that seals. */
  get keyId(): string {
    const row = this.#deps.store.get();
    if (row === null) throw new Error('the vault was not opened');
    return row.key_id;
  }

  get keyFile(): string {
    return keyFile(this.#deps.keyFolder, this.keyId);
  }

  /** True if this machine has the key. */
  get isOpen(): boolean {
    return this.#key(this.keyId) !== null;
  }

  /** When the recovery key was shown, in milliseconds since the epoch; null if it never was. */
  get recoveryShownAt(): number | null {
    return this.#deps.store.get()?.recovery_shown_at ?? null;
  }

  /** The refusal of everything that needs a key which this machine does not have. */
  sealedError(): PlatformError {
    const { keyFolder } = this.#deps;
    const { keyId } = this;
    return new PlatformError(
      'SECRETS_SEALED',
      `The secrets of this data folder were sealed with the key ${keyId}, which is not in ${keyFolder}. Nothing is lost`,
      {
        hint: 'Give the recovery key with `platform secrets restore-key`, copy the key file from the old machine, or start the host with its --key-folder.',
        details: { key_id: keyId, key_folder: keyFolder },
      },
    );
  }

  seal(recordId: string, text: string): string {
    const id = this.keyId;
    const key = this.#key(id);
    if (key === null) throw this.sealedError();
    return sealWith(id, key, recordId, text);
  }

  open(recordId: string, sealed: string): string | undefined {
    return openWith((id) => this.#key(id), recordId, sealed);
  }

  /** The recovery key, once. Throws RECOVERY_KEY_SHOWN the next time, SECRETS_SEALED without the key. */
  recoveryKey(): string {
    const shownAt = this.recoveryShownAt;
    if (shownAt !== null) throw new PlatformError('RECOVERY_KEY_SHOWN');
    const key = this.#key(this.keyId);
    if (key === null) throw this.sealedError();
    this.#deps.store.recoveryShown(this.#deps.now());
    return recoveryKeyOf(key);
  }

  /** Stores the key that a recovery key stands for, which must be the one that sealed. Throws INVALID_REQUEST otherwise. */
  async restoreKey(written: string): Promise<void> {
    const key = keyOfRecoveryKey(written);
    if (keyIdOf(key) !== this.keyId) {
      throw new PlatformError('INVALID_REQUEST', 'This is the recovery key of other secrets', {
        hint: `The secrets here were sealed with the key ${this.keyId}; this one belongs to the key ${keyIdOf(key)}.`,
      });
    }
    await storeKey(this.#deps.keyFolder, key);
  }

  /**
   * Makes another key, which seals from now on; the caller has everything sealed again that opens. The earlier key stays in its
   * file, and what only it opens is not lost.
   */
  async newKey(): Promise<void> {
    await this.#begin();
  }

  async #begin(): Promise<void> {
    const { store, keyFolder, now } = this.#deps;
    const key = await makeKey(keyFolder);
    store.begin(keyIdOf(key), now());
  }

  #key(id: string): Buffer | null {
    const known = this.#keys.get(id);
    if (known !== undefined) return known;
    const key = readKey(this.#deps.keyFolder, id);
    if (key !== null) this.#keys.set(id, key);
    return key;
  }
}
