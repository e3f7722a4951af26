/** Parts of a path inside a package, without those that name no folder. */
function partsOf(path: string): string[] {
  return path.split(/[/\\]/).filter((part) => part !== '' && part !== '.');
}

/** The folder of a file inside a package, with `/` at its end; '' for the root. */
export function folderOf(path: string): string {
  return partsOf(path)
    .slice(0, -1)
    .map((part) => `${part}/`)
    .join('');
}

/** The folders from that of a file up to the root of its package, each with `/` at its end and the root as ''. */
export function foldersUp(path: string): string[] {
  const parts = partsOf(path).slice(0, -1);
  return Array.from({ length: parts.length + 1 }, (_, up) =>
    parts
      .slice(0, parts.length - up)
      .map((part) => `${part}/`)
      .join(''),
  );
}
