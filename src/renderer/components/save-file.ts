/** A name that every file system takes. */
export const fileName = (...parts: readonly string[]): string =>
  parts
    .join('-')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^[-.]+|-+$/g, '');

/** Hands a file to the browser's downloads. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has begun when the click is over, but not every browser has taken hold of the blob by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
