import type { Output, Progress } from './command.ts';
import { cut, printable, width } from './text.ts';

const BAR_CHARS = 24;
const NARROWEST = 8;

/** Widths that fit: the widest column gives way first. */
function narrow(widths: readonly number[], room: number): number[] {
  const result = [...widths];
  for (;;) {
    const total = result.reduce((sum, one) => sum + one, 0) + 2 * (result.length - 1);
    const widest = Math.max(...result);
    if (total <= room || widest <= NARROWEST) return result;
    result[result.indexOf(widest)] = Math.max(NARROWEST, widest - (total - room));
  }
}

function tableText(head: readonly string[], rows: readonly (readonly string[])[], room: number): string {
  const all = [head, ...rows].map((row) => row.map((cell) => printable(cell)));
  const widths = narrow(
    head.map((_, column) => Math.max(...all.map((row) => width(row[column] ?? '')))),
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

/** Ends the process quietly when whoever reads our output has gone away (`| head`). */
function quietOnClosedPipe(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
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

/** Output on the process's own streams. */
export function createOutput(options: { readonly json: boolean; readonly env: NodeJS.ProcessEnv }): Output {
  const { stdout, stderr } = process;
  quietOnClosedPipe(stdout);
  quietOnClosedPipe(stderr);
  const { NO_COLOR, FORCE_COLOR } = options.env;
  const forced = FORCE_COLOR !== undefined && FORCE_COLOR !== '' && FORCE_COLOR !== '0';
  const colours = forced || (stdout.isTTY === true && (NO_COLOR === undefined || NO_COLOR === ''));
  const columns = stdout.isTTY === true ? stdout.columns : Number.POSITIVE_INFINITY;
  return {
    json: options.json,
    colours: colours && !options.json,
    columns,
    line(text = '') {
      if (!options.json) stdout.write(`${text}\n`);
    },
    note(text) {
      stderr.write(`${text}\n`);
    },
    data(value) {
      if (options.json) stdout.write(`${JSON.stringify(value, null, 2)}\n`);
    },
    raw(text) {
      stdout.write(text);
    },
    table(head, rows) {
      if (!options.json) stdout.write(`${tableText(head, rows, columns)}\n`);
    },
    progress: () => (stderr.isTTY === true && !options.json ? terminalProgress(stderr) : NO_PROGRESS),
  };
}
