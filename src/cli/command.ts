import type {
  Output as Answer,
  CallName,
  DownloadName,
  Input,
  StreamName,
  UploadName,
} from '../contract/operations.ts';
import type { CommandName } from './copyable-command.ts';

/** An option of a command; `value` names what a string option takes, e.g. `DIR`. */
export interface OptionSpec {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly value?: string;
  readonly help: string;
}

/** The words typed after the command's own, checked against its options and positionals. */
export interface Arguments {
  readonly positionals: readonly string[];
  text(option: string): string | undefined;
  flag(option: string): boolean;
  /** Returns a whole number of this range, or undefined when the option was not given; throws UsageError for anything else. */
  integer(option: string, least?: number, most?: number): number | undefined;
}

/** Progress of something long, on a terminal only; silent elsewhere and with --json. */
export interface Progress {
  /** `fraction` from 0 to 1, or null while unknown. */
  update(label: string, fraction: number | null): void;
  done(): void;
}

/** Sink for the output of a command. Data goes to stdout, everything else to stderr. */
export interface Output {
  readonly json: boolean;
  /** True when stdout is a terminal that takes colours. */
  readonly colours: boolean;
  readonly columns: number;
  /** A line for people on stdout; nothing with --json. */
  line(text?: string): void;
  /** A line for people on stderr. */
  note(text: string): void;
  /** The answer as JSON on stdout; nothing without --json. */
  data(value: unknown): void;
  /** Text on stdout as it is, in both modes; a terminal gets its control characters visible. */
  raw(text: string): void;
  /** A table that fits the terminal: without columns of `spare` where it is too wide, then with cells cut. */
  table(head: readonly string[], rows: readonly (readonly string[])[], spare?: readonly string[]): void;
  progress(): Progress;
}

/** One event of a stream; a later stream resumes after its `id`. */
export interface StreamEvent<T> {
  readonly id: string;
  readonly data: T;
}

/** A host as a command sees it: the rows of the operation table as functions. Errors are PlatformError. */
export interface Client {
  /** The address of the last request. */
  readonly url: string;
  call<N extends CallName>(name: N, input: Input<N>): Promise<Answer<N>>;
  /** Goes on after a lost connection, from the last event, until the signal ends it. */
  stream<N extends StreamName>(name: N, input: Input<N>, signal: AbortSignal): AsyncIterable<StreamEvent<Answer<N>>>;
  /** Sends a package; `sent` receives the number of bytes that are on their way. */
  upload<N extends UploadName>(
    name: N,
    input: Input<N>,
    body: AsyncIterable<Uint8Array>,
    sent: (bytes: number) => void,
  ): Promise<Answer<N>>;
  /** The bytes of a file; throws where its end is missing. */
  download<N extends DownloadName>(name: N, input: Input<N>): AsyncIterable<Uint8Array>;
  /**
   * Returns the id of a bot by id, name or unambiguous prefix of either. Rejects with BOT_NOT_FOUND, or with INVALID_REQUEST that
   * lists the candidates.
   */
  botId(text: string): Promise<string>;
}

/** Environment, options and services that every command gets. */
export interface Context {
  readonly out: Output;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** The text given to --url and --data, which every command takes. */
  readonly url: string | undefined;
  readonly dataDir: string;
  /** Form of the commands in texts for people. */
  readonly name: CommandName;
  /** Words of every command, such as `bot list`. */
  readonly commands: readonly string[];
  /** Aborts at the first Ctrl-C or SIGTERM; a second one ends the process. */
  readonly signal: AbortSignal;
  /** Returns a client that is logged in to the host. Rejects with HOST_UNREACHABLE or AUTHENTICATION_REQUIRED, with a remedy. */
  client(): Promise<Client>;
  /** Asks the person for a yes; without a terminal the answer is no. */
  confirm(question: string): Promise<boolean>;
  /** All of stdin as text, without the last line end. */
  readStdin(): Promise<string>;
}

/** One command of the command line. Each stands in a file of its own and is loaded only when it is called. */
export interface Command {
  /** Arguments after the command's words: `<name>` required, `[name]` optional. */
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly description: string;
  readonly examples: readonly string[];
  /** Resolves to the exit code; undefined is 0. */
  run(context: Context, args: Arguments): Promise<number | undefined>;
}
