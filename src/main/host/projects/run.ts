import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { toTimestamp, toTimestampOrNull } from '../../../contract/common.ts';
import { invalid } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { ProjectRun, RunLine } from '../../../contract/project.ts';
import { endOrphans, signalProcess } from '../../../node/process-tree.ts';
import { errorText, systemErrorCode } from '../../../node/system-error.ts';
import { type DevRun, programEnd, readOutputLine, startEntry } from '../../../project/local-run.ts';

/** Limit of lines that are kept for a page that opens later or again. */
const LINES_KEPT = 5000;
const LINE_CHARS = 4000;
/** Interval of batches of output, so that output is never sent faster than a page can show it. */
const TOGETHER_MS = 60;
const LINES_AT_ONCE = 500;
const AFTER_GRACE_MS = 500;

/** Environment variable that marks every process that a run has started, wherever the process moved. */
const RUN_MARK = 'PLATFORM_DEV_RUN';

export interface RunEvents {
  readonly changed: (run: ProjectRun) => void;
  readonly lines: (lines: RunLine[], runId: string) => void;
  /** Called when processes that the run started may still be running. */
  readonly failed: (error: unknown) => void;
}

/** One run of a project on this machine: its program and its output. */
export class LocalRun {
  readonly id: string;
  readonly #dev: DevRun;
  readonly #mark: Readonly<Record<string, string>>;
  readonly #events: RunEvents;
  readonly #now: () => number;
  readonly #stop = new AbortController();
  readonly #startedAt: number;
  readonly #lines: RunLine[] = [];
  /** Lines that were not sent yet. */
  #fresh: RunLine[] = [];
  #seq: number;
  #timer: NodeJS.Timeout | undefined;
  #last: NodeJS.Timeout | undefined;
  #endedAt: number | null = null;
  #exitCode: number | null = null;
  #ending: Promise<void> = Promise.resolve();

  /**
   * `mark` is only in the environment of the program and identifies who started it. `firstSeq` continues the numbers of
   * the run before, so that a reader never takes new lines for old ones.
   */
  constructor(
    id: string,
    dev: DevRun,
    mark: Readonly<Record<string, string>>,
    events: RunEvents,
    now: () => number,
    firstSeq: number,
  ) {
    this.#mark = mark;
    this.id = id;
    this.#dev = dev;
    this.#events = events;
    this.#now = now;
    this.#startedAt = now();
    this.#seq = firstSeq;
  }

  get isOver(): boolean {
    return this.#endedAt !== null;
  }

  /** Number of the last sent line: a reader that continues after it misses no line. */
  get lastSeq(): number {
    return this.#seq - this.#fresh.length;
  }

  /** Returns lines after a cursor that were sent and are still kept. */
  linesAfter(seq: number): RunLine[] {
    const last = this.lastSeq;
    return this.#lines.filter((line) => line.seq > seq && line.seq <= last);
  }

  describe(): ProjectRun {
    const isStopping = this.#stop.signal.aborted;
    return {
      run_id: this.id,
      status: this.isOver ? 'ended' : isStopping ? 'stopping' : 'running',
      started_at: toTimestamp(this.#startedAt),
      ended_at: toTimestampOrNull(this.#endedAt),
      exit_code: this.#exitCode,
      stopped: isStopping,
    };
  }

  /** Starts the program; later faults arrive as lines. Throws the error that prevents the start. */
  start(): void {
    const entry = this.#dev.project.config.entrypoints.bot;
    const child = this.#spawn(entry);
    this.#listen(child, child.stdout);
    this.#listen(child, child.stderr);
    child.once('exit', () => this.#endOrphans(child));
    this.#stop.signal.addEventListener('abort', () => this.#stopOrphans(child), { once: true });
    this.#ending = programEnd(child, entry, this.#stop.signal).then(
      (code) => this.#over(code),
      (error) => {
        this.#say(errorText(error), 'error');
        return this.#over(1);
      },
    );
  }

  #spawn(entry: string): ChildProcess {
    try {
      return startEntry(this.#dev, entry, { ...this.#mark, [RUN_MARK]: this.id });
    } catch (error) {
      if (systemErrorCode(error) !== 'E2BIG') throw error;
      const message = 'is larger than this system hands to a program (128 KiB on Linux)';
      throw invalid('INVALID_CONFIG', [{ path: 'config', message, hint: 'Keep large data in a file of the project.' }]);
    }
  }

  #stopOrphans(child: ChildProcess): void {
    this.#endOrphans(child);
    const end = (): void => void this.#endMarked().catch(this.#events.failed);
    this.#last = setTimeout(end, LIMITS.stopGraceMs + AFTER_GRACE_MS).unref();
  }

  /**
   * Ends processes that left the program's group once the program was told to stop and is gone with its group, because
   * they would keep its output open.
   */
  #endOrphans(child: ChildProcess): void {
    const { pid } = child;
    if (!this.#stop.signal.aborted || pid === undefined || (child.exitCode ?? child.signalCode) === null) return;
    if (process.platform === 'linux' && !signalProcess(-pid, 0)) this.#endMarked().catch(this.#events.failed);
  }

  async #endMarked(): Promise<void> {
    await endOrphans(RUN_MARK, (runId) => runId === this.id);
  }

  /** Asks the program to stop, ends it after its grace, and resolves when it is gone. */
  stop(): Promise<void> {
    if (!this.isOver && !this.#stop.signal.aborted) {
      this.#stop.abort();
      this.#events.changed(this.describe());
    }
    return this.#ending;
  }

  async #over(code: number): Promise<void> {
    clearTimeout(this.#last);
    try {
      await this.#endMarked();
    } catch (error) {
      this.#events.failed(error);
    }
    this.#endedAt = this.#now();
    this.#exitCode = code;
    this.#flush();
    this.#events.changed(this.describe());
  }

  #listen(child: ChildProcess, stream: Readable | null): void {
    const decoder = new StringDecoder('utf8');
    let rest = '';
    stream?.on('data', (chunk: Buffer) => {
      rest += decoder.write(chunk);
      const parts = rest.split('\n');
      rest = parts.pop() ?? '';
      for (const line of parts) this.#say(line);
      if (rest.length > LINE_CHARS) {
        this.#say(rest);
        rest = '';
      }
      // Pauses a program that writes faster than its lines are sent.
      if (this.#fresh.length > LINES_AT_ONCE) {
        child.stdout?.pause();
        child.stderr?.pause();
      }
    });
    stream?.on('end', () => {
      if (rest !== '') this.#say(rest);
    });
    this.#resume.add(() => stream?.resume());
  }

  readonly #resume = new Set<() => void>();

  #say(given: string, level?: RunLine['level']): void {
    const text = given.endsWith('\r') ? given.slice(0, -1) : given;
    const read = level === undefined ? readOutputLine(text) : { level };
    this.#seq += 1;
    const line: RunLine = {
      seq: this.#seq,
      ts: toTimestamp(this.#now()),
      level: 'level' in read ? read.level : 'info',
      text: text.slice(0, LINE_CHARS),
      metric: 'metric' in read ? read.metric : null,
    };
    this.#lines.push(line);
    if (this.#lines.length > LINES_KEPT) this.#lines.splice(0, this.#lines.length - LINES_KEPT);
    this.#fresh.push(line);
    this.#timer ??= setTimeout(() => this.#flush(), TOGETHER_MS);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#fresh;
    this.#fresh = [];
    if (lines.length > 0) this.#events.lines(lines, this.id);
    for (const resume of this.#resume) resume();
  }
}
