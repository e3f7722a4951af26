import { PlatformError } from '../contract/errors.ts';
import { readTomlLines, type TomlLine, UnreadToml } from './toml-lines.ts';

/** A table of the file with its header, null for what stands before the first one, and the lines behind the header. */
interface Section {
  readonly header: TomlLine | null;
  readonly lines: readonly TomlLine[];
}

function refuse(file: string, what: string): never {
  throw new PlatformError('INVALID_REQUEST', `${file} ${what}`, { hint: 'Put the entry in by hand.' });
}

/** Throws INVALID_REQUEST for text that cannot be read for sure. */
function sectionsOf(text: string, file: string): Section[] {
  const sections: { header: TomlLine | null; lines: TomlLine[] }[] = [{ header: null, lines: [] }];
  try {
    for (const line of readTomlLines(text)) {
      if (line.header === null) sections.at(-1)?.lines.push(line);
      else sections.push({ header: line, lines: [] });
    }
  } catch (error) {
    if (error instanceof UnreadToml) refuse(file, `cannot be changed safely: ${error.message}`);
    throw error;
  }
  return sections;
}

const nameOf = ({ header }: Section): readonly string[] => header?.header?.name ?? [];
const linesOf = ({ header, lines }: Section): readonly TomlLine[] => (header === null ? lines : [header, ...lines]);
const textOf = (lines: readonly TomlLine[]): string => lines.map(({ text }) => text).join('\n');

const startsWith = (name: readonly string[], start: readonly string[]): boolean =>
  start.every((part, index) => part === name[index]);

/** The lines of a table without some of its keys; what goes on over several lines goes with its key. */
function withoutKeys(lines: readonly TomlLine[], keys: ReadonlySet<string>): TomlLine[] {
  let dropping = false;
  return lines.filter(({ key, isBlank }) => {
    if (key !== null) dropping = keys.has(key);
    else if (isBlank) dropping = false;
    return !dropping;
  });
}

/** The text of the table of this name and of its subtables; '' without one. Throws INVALID_REQUEST for text that cannot be read. */
export function tomlTable(text: string, name: readonly [string, string], file: string): string {
  const own = sectionsOf(text, file).filter((section) => startsWith(nameOf(section), name));
  return textOf(own.flatMap(linesOf));
}

/** Refuses a file in which the table is written in another form: inline, by dotted keys, or as one of a list. */
function checkForms(sections: readonly Section[], [list, server]: readonly [string, string], file: string): void {
  for (const section of sections) {
    const name = nameOf(section);
    const key = section.header === null ? list : name.length === 1 && name[0] === list ? server : null;
    const isOurs = name.length > 0 && startsWith([list, server], name);
    const isOther = section.lines.some((line) => line.key !== null && line.key === key);
    if (isOther) refuse(file, `has an entry ${key} that is not a table of its own`);
    if (isOurs && section.header?.header?.isList)
      refuse(file, `has an entry ${name.join('.')} that is a list of tables`);
  }
}

/**
 * TOML text with these lines in the table of this name, which is made at the end where it is missing. `own` are the keys
 * that are replaced; its other keys, and every other line of the file, stay as they are. Throws INVALID_REQUEST where
 * the table is written in another form, such as inline, and for text that cannot be read for sure.
 */
export function placeToml(
  text: string,
  name: readonly [string, string],
  lines: readonly string[],
  own: ReadonlySet<string>,
  file: string,
): string {
  const sections = sectionsOf(text, file);
  checkForms(sections, name, file);
  const kept = sections.filter((section) => {
    const parts = nameOf(section);
    return !(parts.length > 2 && startsWith(parts, name) && own.has(parts[2] ?? ''));
  });
  const isIt = (section: Section): boolean => nameOf(section).length === 2 && startsWith(nameOf(section), name);
  if (kept.filter(isIt).length > 1) refuse(file, `has the table ${name.join('.')} twice`);
  const cr = text.includes('\r\n') ? '\r' : '';
  const added = lines.map((line) => `${line}${cr}`);
  const at = kept.findIndex(isIt);
  if (at < 0) {
    const before = textOf(kept.flatMap(linesOf));
    const gap = before.trim() === '' ? '' : `${before.replace(/\s+$/, '')}${cr}\n${cr}\n`;
    return `${gap}[${name.join('.')}]${cr}\n${added.join('\n')}\n`;
  }
  return kept
    .flatMap((section, index) =>
      index === at
        ? [section.header?.text ?? '', ...added, ...withoutKeys(section.lines, own).map((line) => line.text)]
        : linesOf(section).map((line) => line.text),
    )
    .join('\n');
}
