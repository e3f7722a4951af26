import { z } from 'zod';
import type { Output } from '../../../../contract/operations.ts';
import { diffLines, hunkHead, hunks } from '../../../../shared/line-diff.ts';
import { beginningFor, cutAloud, fitting, ROOM_BYTES } from '../answer-size.ts';
import { READS, type Tool, type ToolCaller, tool } from '../tool.ts';
import { BOT_TEXT_NOTICE, visible } from '../untrusted.ts';
import { customBotName, version } from './arguments.ts';
import { readCursor, writeCursor } from './cursor.ts';

const wholeVersion = version.unwrap();
const cursor = z
  .string()
  .max(8000)
  .optional()
  .meta({ description: 'To read on: next_cursor exactly as it came; leave the rest as it was.' });
const filePath = z.string().min(1).max(1000);

const FilesCursor = z.strictObject({
  asked: z.strictObject({ name: z.string(), version: z.string().optional(), path: z.string().optional() }),
  /** Version of the first answer, because a newer one may have been published since. */
  version: z.string(),
  /** Number of listed files or of read characters. */
  at: z.number().int().nonnegative(),
});
type FilesCursor = z.infer<typeof FilesCursor>;

type Place = Omit<FilesCursor, 'version'> & { readonly version?: string | undefined };

function nextFiles(place: Place, found: string, at: number, truncated: boolean) {
  return truncated ? { next_cursor: writeCursor({ asked: place.asked, version: found, at }) } : {};
}

async function listFiles(place: Place, caller: ToolCaller) {
  const { asked, at } = place;
  const {
    name,
    version: found,
    items,
    total,
  } = await caller.call('custom_bots.files', {
    name: asked.name,
    ...(place.version === undefined ? {} : { version: place.version }),
  });
  const all = items.map(({ path, size_bytes, executable }) => ({
    path: visible(path),
    size_bytes,
    ...(executable ? { executable } : {}),
  }));
  const files = fitting(all.slice(at));
  const next = at + files.length;
  const truncated = next < all.length;
  return {
    name,
    version: found,
    notice: BOT_TEXT_NOTICE,
    files,
    count: total,
    truncated,
    ...nextFiles(place, found, next, truncated),
    ...(total > items.length ? { not_listed: `${total - items.length} files beyond the first ${items.length}` } : {}),
  };
}

async function readFile(place: Place, path: string, caller: ToolCaller) {
  const { asked, at } = place;
  const file = await caller.call('custom_bots.file', {
    name: asked.name,
    path,
    ...(place.version === undefined ? {} : { version: place.version }),
  });
  const { name, version: found, size_bytes, executable } = file;
  const about = { name, version: found, path: visible(path), size_bytes, executable, notice: BOT_TEXT_NOTICE };
  if (file.text === null) return { ...about, text: null, truncated: false, why: 'The file is no text.' };
  const text = beginningFor(file.text.slice(at), visible);
  const next = at + text.length;
  const truncated = next < file.text.length;
  return {
    ...about,
    text,
    truncated,
    ...nextFiles(place, found, next, truncated),
    ...(file.truncated && !truncated ? { not_shown: 'Only the first 512 KiB of a file can be read.' } : {}),
  };
}

const files = tool({
  name: 'custom_bot_files',
  title: 'Read the code of a custom bot',
  audit: ['read', 'read', '[file {path}|the files] of [custom bot {name}|a custom bot]'],
  description:
    'Read what a published version is made of: without path its files with their sizes, with path the text of one. Long answers come in pages: next_cursor reads on.',
  input: z.strictObject({
    name: customBotName,
    version,
    path: filePath.optional().meta({ description: 'A file as the list names it.', examples: ['src/bot.py'] }),
    cursor,
  }),
  hints: READS,
  needs: 'custom_bots.files',
  target: 'name',
  async run({ cursor: from, ...asked }, caller) {
    const place = from === undefined ? { asked, version: asked.version, at: 0 } : readCursor(from, FilesCursor, asked);
    const { path } = place.asked;
    return { data: path === undefined ? await listFiles(place, caller) : await readFile(place, path, caller) };
  },
});

/** Limits of text to compare line by line, of one file and of one call: a comparison blocks all other work. */
const FILE_CHARS = 256 * 1024;
const CALL_CHARS = 1024 * 1024;
const MOST_FILES = 50;
const LINE_BYTES = 2000;
/** Space that a file needs beside its lines, in bytes. */
const ENTRY_BYTES = 700;
const SIGNS = { added: '+', removed: '-', same: ' ' } as const;

type Change = Output<'custom_bots.diff'>['items'][number];
type FileText = Output<'custom_bots.file'>;

const DiffCursor = z.strictObject({
  asked: z.strictObject({ name: z.string(), from: z.string(), to: z.string(), path: z.string().optional() }),
  /** Number of the changed file to continue with, and of its lines that were shown. */
  file: z.number().int().nonnegative(),
  line: z.number().int().nonnegative(),
});
type DiffCursor = z.infer<typeof DiffCursor>;

/** Difference of one file: lines of a unified diff, or none where lines would be useless. */
interface FileDiff {
  readonly lines: readonly string[];
  readonly notes: readonly string[];
  /** Number of compared characters. */
  readonly chars: number;
}

function notesOf({ before, after }: Change, texts: readonly (FileText | null)[], hasLines: boolean): string[] {
  const isText = texts.every((one) => one?.text !== null);
  const isLong = texts.some((one) => one !== null && (one.truncated || (one.text?.length ?? 0) > FILE_CHARS));
  const turned = before !== null && after !== null && before.executable !== after.executable;
  return [
    ...(isText ? [] : ['It is no text.']),
    ...(turned ? [after.executable ? 'It can be run now.' : 'It cannot be run any more.'] : []),
    ...(isText && isLong ? [`Only its first ${FILE_CHARS / 1024} KiB were compared.`] : []),
    ...(isText && !isLong && !turned && !hasLines ? ['They differ only in the final line break.'] : []),
  ];
}

async function diffOf({ name, from, to }: DiffCursor['asked'], change: Change, caller: ToolCaller): Promise<FileDiff> {
  const { path } = change;
  const read = (of: string, there: unknown) =>
    there === null ? null : caller.call('custom_bots.file', { name, version: of, path });
  const texts = await Promise.all([read(from, change.before), read(to, change.after)]);
  const [before = '', after = ''] = texts.map((one) => (one?.text ?? '').slice(0, FILE_CHARS));
  const isText = texts.every((one) => one?.text !== null);
  const lines = (isText ? hunks(diffLines(before, after)) : []).flatMap((hunk) => [
    hunkHead(hunk),
    ...hunk.lines.map(({ kind, text }) => cutAloud(visible(`${SIGNS[kind]}${text}`), LINE_BYTES)),
  ]);
  return { lines, notes: notesOf(change, texts, lines.length > 0), chars: before.length + after.length };
}

function entryOf(change: Change, { lines, notes }: FileDiff, line: number, room: number) {
  const { path, kind, before, after } = change;
  const shown = fitting(lines.slice(line), room);
  const shownTo = line + shown.length;
  const entry = {
    path: visible(path),
    kind,
    size_before: before?.size_bytes ?? null,
    size_after: after?.size_bytes ?? null,
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
    ...(shown.length === 0 ? {} : { diff: shown.join('\n') }),
    ...(shown.length < lines.length
      ? { cut: `Lines ${line + 1} to ${shownTo} of ${lines.length} of this difference.` }
      : {}),
  };
  return { entry, shownTo, isDone: shownTo === lines.length };
}

/** Returns the changes that fit on a page from a position on, and the next position; null when nothing is left. */
async function diffPage(place: DiffCursor, items: readonly Change[], caller: ToolCaller) {
  const shown: Record<string, unknown>[] = [];
  let { file, line } = place;
  let room = ROOM_BYTES - ENTRY_BYTES;
  let chars = 0;
  for (let change = items[file]; change !== undefined; change = items[file]) {
    const least = ENTRY_BYTES + 2 * LINE_BYTES;
    if (shown.length > 0 && (shown.length === MOST_FILES || chars > CALL_CHARS || room < least)) break;
    const diff = await diffOf(place.asked, change, caller);
    chars += diff.chars;
    const { entry, shownTo, isDone } = entryOf(change, diff, line, room - ENTRY_BYTES);
    shown.push(entry);
    room -= Buffer.byteLength(JSON.stringify(entry)) + 1;
    if (!isDone) return { shown, next: { file, line: shownTo } };
    file += 1;
    line = 0;
  }
  return { shown, next: file < items.length ? { file, line } : null };
}

const diff = tool({
  name: 'custom_bot_diff',
  title: 'Compare two versions of a custom bot',
  audit: ['compared', 'compare', 'versions[ {from} and {to}] of [custom bot {name}|a custom bot]'],
  description:
    'Tell what is different between two published versions of a custom bot: each file that was added, removed or changed, with its lines as a unified diff. Long answers are cut, and say so; next_cursor reads on. bot_events tells who put a bot on a version.',
  input: z.strictObject({
    name: customBotName,
    from: wholeVersion.meta({ description: 'The older version.', examples: ['1.0.0'] }),
    to: wholeVersion.meta({ description: 'The newer version.', examples: ['1.0.1'] }),
    path: filePath.optional().meta({ description: 'This file only.' }),
    cursor,
  }),
  hints: READS,
  needs: 'custom_bots.diff',
  target: 'name',
  async run({ cursor: at, ...asked }, caller) {
    const place = at === undefined ? { asked, file: 0, line: 0 } : readCursor(at, DiffCursor, asked);
    const { name, from, to, path } = place.asked;
    const found = await caller.call('custom_bots.diff', { name, from, to });
    const items = path === undefined ? found.items : found.items.filter((one) => one.path === path);
    const { shown, next } = await diffPage(place, items, caller);
    return {
      data: {
        name,
        from,
        to,
        notice: BOT_TEXT_NOTICE,
        changed_files: path === undefined ? found.total : items.length,
        files: shown,
        truncated: next !== null,
        ...(next === null ? {} : { next_cursor: writeCursor({ asked: place.asked, ...next }) }),
        ...(found.total > found.items.length
          ? { not_compared: `${found.total - found.items.length} files beyond the first ${found.items.length}` }
          : {}),
      },
    };
  },
});

/** Tools that describe the content of published versions. */
export const VERSION_TOOLS: readonly Tool[] = [files, diff];
