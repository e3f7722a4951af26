import type { SettingChange, VersionChange } from '../contract/custom-bot.ts';
import { formatBytes } from '../shared/format-quantity.ts';
import { printable } from './terminal-text.ts';

/** Signs of what became of a setting or file. */
export const MARKS = { added: '+', removed: '-', changed: '~' } as const;

/** Sizes of a file before and after. */
export const sizes = ({ before, after }: VersionChange): string =>
  [before, after].flatMap((one) => (one === null ? [] : formatBytes(one.size_bytes))).join(' -> ');

/** A setting that is different between two versions, as a line. */
export function settingLine({
  name,
  kind,
  what,
}: Pick<SettingChange, 'name' | 'kind'> & { readonly what: readonly string[] }): string {
  const words = what.length === 0 ? '' : `: ${printable(what.join('; '))}`;
  return `  ${MARKS[kind]} ${printable(name)}${words}`;
}

/** A file that is different between two versions, as a line. */
export const fileLine = (change: VersionChange): string =>
  `  ${MARKS[change.kind]} ${printable(change.path)}  (${sizes(change)})`;
