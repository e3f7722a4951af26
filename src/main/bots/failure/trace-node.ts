import { type FailedRun, placeIn, type Trace, textOf } from './facts.ts';

const LAST_LINE = /^Node\.js v\d/;
const LOCATION = /^(?:file:\/\/|node:|\/|[A-Za-z]:\\).{1,500}:\d{1,7}$/;
const CARET = /^\s*\^+$/;
const FRAME = /^\s+at /;
const ERROR = /^(?:Uncaught )?\[?([A-Za-z_$][\w$.]{0,80}) ?(?:\[([A-Z][A-Z_0-9]{1,60})\])?(?::? ?)(.*)$/s;
const CODE = /^\s+code: '([A-Z][A-Z_0-9]{1,60})'/;
/** Longest report of Node that is looked at. */
const LONGEST = 120;
/** An error that was only printed must stand right at the end. */
const MOST_AFTER = 5;

interface Block {
  /** Places in `view`. */
  readonly header: number | null;
  readonly error: number;
  readonly end: number;
}

/** Node's own report of an error that nobody caught: from `file:line` to the version in its last line. */
function uncaught(text: (at: number) => string, count: number): Block | null {
  let end = count - 1;
  while (end >= 0 && !LAST_LINE.test(text(end))) end -= 1;
  if (end < 0) return null;
  let header = end;
  while (header >= 0 && end - header < LONGEST && !LOCATION.test(text(header))) header -= 1;
  if (header < 0 || !LOCATION.test(text(header))) return null;
  let error = header + 1;
  for (let at = header + 1; at < end && at < header + 8; at += 1) if (CARET.test(text(at))) error = at + 1;
  while (error < end && text(error) === '') error += 1;
  return error < end ? { header, error, end } : null;
}

/** An error that the bot printed with its stack before it ended itself. */
function printed(text: (at: number) => string, count: number): Block | null {
  let end = count - 1;
  while (end >= 0 && count - end <= MOST_AFTER && !FRAME.test(text(end))) end -= 1;
  if (end < 0 || !FRAME.test(text(end))) return null;
  let error = end;
  while (error > 0 && end - error < LONGEST && FRAME.test(text(error))) error -= 1;
  return /^(?:Uncaught )?[A-Za-z_$][\w$.]{0,80}Error\b/.test(text(error)) ? { header: null, error, end: count } : null;
}

/** The JavaScript error that ended a run, from the lines of one stream; null when none stands at their end. */
export function nodeTrace(run: FailedRun, view: readonly number[]): Trace | null {
  const text = (at: number): string => {
    const line = run.lines[view[at] ?? -1];
    return line === undefined ? '' : textOf(line);
  };
  const block = uncaught(text, view.length) ?? printed(text, view.length);
  if (block === null) return null;
  const inside = Array.from({ length: block.end - block.error }, (_, step) => block.error + step);
  const [, type = 'Error', bracket, rest = ''] = ERROR.exec(text(block.error)) ?? [];
  const around = [...inside, ...(block.header === null ? [] : [block.header])];
  const own = around.find(
    (at) => placeIn(text(at), run.codeDir) !== null && (FRAME.test(text(at)) || at === block.header),
  );
  const named = inside.map((at) => CODE.exec(text(at))?.[1]).find((code) => code !== undefined);
  const heads = inside.filter((at) => !FRAME.test(text(at)) && /[A-Za-z0-9]/.test(text(at)));
  const source = block.header === null ? null : block.header + 1;
  const shown = [
    ...(block.header === null || placeIn(text(block.header), run.codeDir) === null
      ? []
      : [block.header, block.header + 1]),
    ...heads.slice(0, 4),
    ...(own === undefined ? [] : [own]),
  ];
  const lines = (places: readonly number[]): number[] => [...new Set(places)].flatMap((at) => view[at] ?? []);
  return {
    kind: 'node',
    type,
    message: rest.replace(/(?:\] \{|\{|\])$/, '').trim(),
    code: named ?? bracket ?? null,
    place: own === undefined ? null : placeIn(text(own), run.codeDir),
    source: source === null ? null : text(source),
    heads: lines(heads),
    shown: lines(shown),
  };
}
