/** Seals texts at rest; `recordId` binds a sealed text to its record, so that it opens nowhere else. */
export interface SecretBox {
  seal(recordId: string, text: string): string;
  /** The text; undefined if this host has not the key, or the sealed text was changed. */
  open(recordId: string, sealed: string): string | undefined;
}
