import type { CatalogRow, CatalogStore } from '../../../../../src/main/host/control/catalog-store.ts';

/** A catalogue store in memory, for tests of the catalogue alone; rows are copied as a database would. */
export class MemoryStore implements CatalogStore {
  readonly rows = new Map<string, string>();
  readonly #removed = new Map<string, string>();
  /** Set to make the next insert fail as a full disk would. */
  failNext = false;

  insertVersion(row: CatalogRow): void {
    const key = `${row.userId}/${row.record.name}/${row.record.version}`;
    if (this.failNext) {
      this.failNext = false;
      throw new Error('database or disk is full');
    }
    if (this.rows.has(key)) throw new Error('UNIQUE constraint failed');
    this.rows.set(key, JSON.stringify(row));
  }

  getVersion(userId: string, name: string, version: string): CatalogRow | null {
    const text = this.rows.get(`${userId}/${name}/${version}`);
    return text === undefined ? null : (JSON.parse(text) as CatalogRow);
  }

  #all(): CatalogRow[] {
    return [...this.rows.values()].map((text) => JSON.parse(text) as CatalogRow);
  }

  listVersions(userId: string, name: string): string[] {
    return this.#all()
      .filter((row) => row.userId === userId && row.record.name === name)
      .map((row) => row.record.version);
  }

  list(userId: string) {
    return this.#all()
      .filter((row) => row.userId === userId)
      .map((row) => row.record);
  }

  deleteVersion(userId: string, name: string, version: string): boolean {
    const key = `${userId}/${name}/${version}`;
    const row = this.getVersion(userId, name, version);
    if (row !== null) this.#removed.set(key, row.record.hash);
    return this.rows.delete(key);
  }

  removedHash(userId: string, name: string, version: string): string | null {
    return this.#removed.get(`${userId}/${name}/${version}`) ?? null;
  }

  keys() {
    return this.#all().map(({ userId, record }) => ({ userId, name: record.name, version: record.version }));
  }
}
