import type { ControlDatabase } from './control-database.ts';

/** What the control database knows of the key that seals its secrets. Times are milliseconds since the epoch. */
export interface VaultRow {
  readonly key_id: string;
  /** `sealing`: what an earlier release stored in the clear is not sealed everywhere yet. */
  readonly state: 'sealing' | 'sealed';
  /** When the recovery key of this key was shown; null if it never was. */
  readonly recovery_shown_at: number | null;
  readonly created_at: number;
}

/** The row of the vault. */
export interface VaultStore {
  get(): VaultRow | null;
  /** Begins to seal under a key, whose recovery key was not shown yet. */
  begin(keyId: string, at: number): void;
  sealed(): void;
  recoveryShown(at: number): void;
}

/** VaultStore over the control database. */
export function createVaultStore(db: ControlDatabase): VaultStore {
  return {
    get: () =>
      db.prepare<[], VaultRow>('select key_id, state, recovery_shown_at, created_at from vault where id = 1').get() ??
      null,
    begin(keyId, at) {
      db.prepare(
        `insert into vault (id, key_id, state, created_at) values (1, ?, 'sealing', ?)
         on conflict do update set key_id = excluded.key_id, state = excluded.state, recovery_shown_at = null,
         created_at = excluded.created_at`,
      ).run(keyId, at);
    },
    sealed() {
      db.exec("update vault set state = 'sealed' where id = 1");
    },
    recoveryShown(at) {
      db.prepare('update vault set recovery_shown_at = ? where id = 1').run(at);
    },
  };
}
