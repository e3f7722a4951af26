import { type FailedRun, placeIn, type Trace, textOf } from './facts.ts';

const HEADER = /^(?:Exception Group )?Traceback \(most recent call last\):/;
const FRAME = /^ {2}File "/;
const CHAINED = /^(?:During handling of the above exception|The above exception was the direct cause)/;
const ERROR = /^([A-Za-z_][\w.]{0,150})(?:: (.*))?$/s;
/** The margin that exception groups draw. */
const MARGIN = /^ {2,40}[|+](?: |$)/;

interface Block {
  /** Line of the exception itself; null while it has not come. */
  error: number | null;
  readonly frames: { readonly line: number; readonly place: string | null }[];
}

interface Chain {
  readonly blocks: Block[];
  /** Lines with text after its end. */
  after: number;
}

/** The last chain of tracebacks among these lines; one traceback is a chain of one. */
function lastChain(run: FailedRun, view: readonly number[], text: (index: number) => string): Chain | null {
  let chain: Chain | null = null;
  let open: Block | null = null;
  let linked = false;
  for (const index of view) {
    const line = text(index);
    if (open === null && (HEADER.test(line) || FRAME.test(line))) {
      open = { error: null, frames: [] };
      if (chain === null || !linked) chain = { blocks: [], after: 0 };
      chain.blocks.push(open);
      chain.after = 0;
      linked = false;
    }
    if (open === null) {
      if (CHAINED.test(line)) linked = true;
      else if (chain !== null && line !== '') chain.after += 1;
      continue;
    }
    if (FRAME.test(line)) open.frames.push({ line: index, place: placeIn(line, run.codeDir) });
    else if (line !== '' && !line.startsWith(' ') && !HEADER.test(line)) {
      open.error = index;
      open = null;
    }
  }
  return chain;
}

/** Python ends with 1 after an exception that nobody caught; one that was only printed must stand right at the end. */
const MOST_AFTER_UNCAUGHT = 40;
const MOST_AFTER = 5;

/** The Python exception that ended a run, from the lines of one stream; null when none stands at their end. */
export function pythonTrace(run: FailedRun, view: readonly number[]): Trace | null {
  const text = (index: number): string => {
    const line = run.lines[index];
    return line === undefined ? '' : textOf(line).replace(MARGIN, '');
  };
  const chain = lastChain(run, view, text);
  const block = chain?.blocks.findLast(({ error }) => error !== null);
  if (chain === null || block === undefined || block.error === null) return null;
  if (chain.after > (run.exitCode === 1 ? MOST_AFTER_UNCAUGHT : MOST_AFTER)) return null;
  const [, full = 'Exception', message = ''] = ERROR.exec(text(block.error)) ?? [];
  const own = block.frames.findLast(({ place }) => place !== null) ?? null;
  const code = own === null ? undefined : view[view.indexOf(own.line) + 1];
  const hasCode = code !== undefined && text(code).startsWith('    ');
  const heads = chain.blocks.flatMap(({ error }) => (error === null ? [] : [error])).reverse();
  return {
    kind: 'python',
    type: full.slice(full.lastIndexOf('.') + 1),
    message,
    code: null,
    place: own?.place ?? null,
    source: hasCode ? text(code) : null,
    heads,
    shown: [...(own === null ? [] : [own.line]), ...(hasCode ? [code] : []), ...heads.slice(0, 3)],
  };
}
