import { visible } from '../shared/visible-text.ts';
import type { Output, Progress } from './command.ts';
import { cut, harmless, printable, width } from './terminal-text.ts';

const BAR_CHARS = 24;
const NARROWEST = 8;
/** Columns whose cells are copied into the next command: a cut cell would be useless. */
const WHOLE = new Set(['ID', 'RUN', 'KEY']);

/** Returns widths that fit: the widest column that may shrink does so first, step by step, until all are equally wide. */
function narrow(widths: readonly number[], fixed: readonly boolean[], room: number): number[] {
  const result = [...widths];
  let over = result.reduce((sum, one) => sum + one, 0) + 2 * (result.length - 1) - room;
  while (over > 0) {
    const widest = Math.max(0, ...result.filter((_, column) => fixed[column] !== true));
    if (widest <= NARROWEST) return result;
    const column = result.findIndex((one, index) => one === widest && fixed[index] !== true);
    const next = Math.max(NARROWEST, ...result.filter((one, index) => one < widest && fixed[index] !== true));
    const alike = result.filter((one, index) => one === widest && fixed[index] !== true).length;
    const less = Math.min(over, alike > 1 ? 1 : widest - next);
    result[column] = widest - less;
    over -= less;
  }
  return result;
}

/** Returns the widths of the columns when nothing is cut. */
function fullWidths(all: readonly (readonly string[])[]): number[] {
  return (all[0] ?? []).map((_, column) => all.reduce((most, row) => Math.max(most, width(row[column] ?? '')), 0));
}

/** Returns the rows without dispensable columns, the first of `spare` first, until the rest fits. */
function leaveOut(all: readonly (readonly string[])[], spare: readonly string[], room: number): readonly string[][] {
  let result = all.map((row) => [...row]);
  for (const name of spare) {
    const widths = fullWidths(result);
    const column = result[0]?.indexOf(name) ?? -1;
    if (widths.reduce((sum, one) => sum + one + 2, -2) <= room) return result;
    if (column >= 0) result = result.map((row) => row.filter((_, index) => index !== column));
  }
  return result;
}

/**
 * A table as text of at most `room` columns: columns of `spare` are left out, then cells are cut with an ellipsis, ids
 * never.
 */
export function tableText(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  room: number,
  spare: readonly string[] = [],
): string {
  const terminal = Number.isFinite(room);
  const shown = (cell: string): string => (terminal ? visible(printable(cell)) : printable(cell));
  const whole = [head, ...rows].map((row) => row.map(shown));
  const all = leaveOut(whole, spare, room);
  const full = fullWidths(all);
  const widths = narrow(
    full,
    (all[0] ?? []).map((name) => WHOLE.has(name)),
    room,
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => {
        const text = cut(cell, widths[column] ?? 0);
        return text + ' '.repeat(Math.max(0, (widths[column] ?? 0) - width(text)));
      })
      .join('  ')
      .trimEnd();
  return all.map(line).join('\n');
}

/** The reader of our output may leave (`| head`): that ends the command and is no error. */
function watchForClosedPipe(stream: NodeJS.WriteStream, onClosed: () => void): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    onClosed();
  });
}

function terminalProgress(stream: NodeJS.WriteStream): Progress {
  let shown = '';
  return {
    update(label, fraction) {
      const part = fraction === null ? null : Math.min(1, Math.max(0, fraction));
      const filled = part === null ? 0 : Math.round(part * BAR_CHARS);
      const bar =
        part === null ? '' : ` ${'█'.repeat(filled)}${'░'.repeat(BAR_CHARS - filled)} ${Math.floor(part * 100)} %`;
      const text = cut(`${label}${bar}`, (stream.columns ?? 80) - 1);
      if (text === shown) return;
      shown = text;
      stream.write(`\r\u001b[2K${text}`);
    },
    done() {
      if (shown !== '') stream.write('\r\u001b[2K');
      shown = '';
    },
  };
}

const NO_PROGRESS: Progress = { update: () => undefined, done: () => undefined };

/** Returns true for coloured output: as FORCE_COLOR says, else on a terminal that shows colours, unless NO_COLOR is set. */
export function wantsColours(env: NodeJS.ProcessEnv, terminal: boolean): boolean {
  const { NO_COLOR = '', FORCE_COLOR = '', TERM } = env;
  if (FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return terminal && NO_COLOR === '' && TERM !== 'dumb';
}

/**
 * Output on the process's own streams. Bots' text reaches a terminal with its control characters made visible, and a
 * pipe or a file unchanged. `onClosed` is called when the reader has gone.
 */
export function createOutput(options: {
  readonly json: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly onClosed: () => void;
  readonly streams?: Pick<NodeJS.Process, 'stdout' | 'stderr'>;
}): Output {
  const { stdout, stderr } = options.streams ?? process;
  watchForClosedPipe(stdout, options.onClosed);
  watchForClosedPipe(stderr, options.onClosed);
  const colours = wantsColours(options.env, stdout.isTTY === true);
  const columns = stdout.isTTY === true ? stdout.columns : Number.POSITIVE_INFINITY;
  const write = (stream: NodeJS.WriteStream, text: string, shown: (text: string) => string): void => {
    stream.write(stream.isTTY === true ? shown(text) : text);
  };
  return {
    json: options.json,
    colours: colours && !options.json,
    columns,
    line(text = '') {
      if (!options.json) write(stdout, `${text}\n`, visible);
    },
    note(text) {
      write(stderr, `${text}\n`, visible);
    },
    data(value) {
      if (options.json) write(stdout, `${JSON.stringify(value, null, 2)}\n`, harmless);
    },
    raw(text) {
      write(stdout, text, harmless);
    },
    table(head, rows, spare) {
      if (!options.json) stdout.write(`${tableText(head, rows, columns, spare)}\n`);
    },
    progress: () => (stderr.isTTY === true && !options.json ? terminalProgress(stderr) : NO_PROGRESS),
  };
}
