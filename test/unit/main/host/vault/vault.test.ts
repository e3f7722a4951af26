import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openControlDatabase } from '../../../../../src/main/host/control/control-database.ts';
import { createVaultStore } from '../../../../../src/main/host/control/vault-store.ts';
import { Vault } from '../../../../../src/main/host/vault/vault.ts';
import { tempDir } from '../../../../support/temp.ts';

/** A data folder with a control database. */
function place() {
  const dataDir = tempDir();
  const db = openControlDatabase(join(dataDir, 'control.db'), { backupDir: dataDir, now: () => 0 });
  onTestFinished(() => {
    db.close();
  });
  const store = createVaultStore(db);
  return { store, open: (keyFolder: string) => Vault.open({ store, keyFolder, dataDir, now: () => 5 }) };
}

const SEALED = expect.objectContaining({ code: 'SECRETS_SEALED' });

describe('Vault', () => {
  it('makes one key for a new data folder, and opens what it sealed at every start', async () => {
    const [{ open }, folder] = [place(), tempDir()];
    const first = await open(folder);
    const sealed = first.seal('bot:1', 'value');
    const next = await open(folder);
    expect(next.isOpen).toBe(true);
    expect(next.open('bot:1', sealed)).toBe('value');
    expect(readdirSync(folder)).toEqual([`${first.keyId}.key`]);
  });

  it('stays sealed elsewhere: no other key is made, nothing is sealed, and the recovery key opens all', async () => {
    const [{ open }, here, elsewhere] = [place(), tempDir(), tempDir()];
    const vault = await open(here);
    const sealed = vault.seal('bot:1', 'value');
    const recovery = vault.recoveryKey();
    const copy = await open(elsewhere);
    expect(copy.isOpen).toBe(false);
    expect(copy.open('bot:1', sealed)).toBeUndefined();
    expect(() => copy.seal('bot:1', 'x')).toThrow(SEALED);
    expect(() => copy.sealedError().message).not.toThrow();
    expect(copy.sealedError().message).toContain(elsewhere);
    expect(readdirSync(elsewhere)).toEqual([]);
    const other = await place().open(tempDir());
    await expect(copy.restoreKey(other.recoveryKey())).rejects.toMatchObject({
      message: expect.stringContaining('other'),
    });
    await copy.restoreKey(recovery);
    expect(copy.open('bot:1', sealed)).toBe('value');
  });

  it('shows a recovery key once, and each new key has its own', async () => {
    const [{ open }, folder] = [place(), tempDir()];
    const vault = await open(folder);
    const first = vault.recoveryKey();
    expect(vault.recoveryShownAt).toBe(5);
    expect(() => vault.recoveryKey()).toThrow(expect.objectContaining({ code: 'RECOVERY_KEY_SHOWN' }));
    const sealed = vault.seal('bot:1', 'value');
    await vault.newKey();
    expect(vault.open('bot:1', sealed)).toBe('value');
    expect(vault.recoveryKey()).not.toBe(first);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it('notices a key file that comes back while it runs', async () => {
    const [{ open }, folder, away] = [place(), tempDir(), tempDir()];
    const { keyId } = await open(folder);
    const file = `${keyId}.key`;
    renameSync(join(folder, file), join(away, file));
    const vault = await open(folder);
    expect(() => vault.recoveryKey()).toThrow(SEALED);
    renameSync(join(away, file), join(folder, file));
    expect(vault.isOpen).toBe(true);
  });
});
