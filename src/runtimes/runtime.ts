import type { FailureCode } from '../contract/failure.ts';
import type { StrategyId } from '../contract/strategies.ts';
import type { OutputOfRun, Trace } from './trace.ts';

/**
 * A family of runtimes as the product knows it, in two parts of one file: a summary that every client may load, the
 * dashboard included, and a descriptor for whatever starts, packs or explains programs. Both are data and pure
 * functions; engines, command line, packaging and dashboard read them, and none of them knows a runtime by name.
 */

/** A value of `runtime` in bot-config.yaml. */
export interface RuntimeRelease {
  /** Further accepted names. */
  readonly aliases: readonly string[];
  /** Oldest version of the interpreter that runs its bots; left out where there is no interpreter. */
  readonly least?: string;
  /** The image in which its bots run, unless settings.json names another. */
  readonly image: string;
}

/** A template of new projects, by its folder in resources/templates. */
export interface ProjectTemplate {
  readonly name: string;
  /** Its language, for people. */
  readonly label: string;
  /** What its bot does. */
  readonly strategy: StrategyId;
  /** Builds a new project, given the quoted path of its folder; only for compiled languages. */
  readonly build?: (folder: string) => string;
  /** Files and folders of resources/ that every new project gets a copy of, and where. */
  readonly copies?: readonly { readonly from: string; readonly to: string }[];
}

/** A function of an SDK, as the editor completes and explains it. */
export interface SdkEntry {
  /** As it is written after the import of the SDK, with the module before a dot. */
  readonly name: string;
  readonly signature: string;
  readonly doc: string;
}

/** A language of source files, by its name in the editor (Monaco). */
export interface EditorLanguage {
  readonly id: string;
  readonly extensions: readonly string[];
  /** Declarations of the SDK: a file of resources/sdk, and the module whose types it has. */
  readonly types?: { readonly file: string; readonly module: string };
  /** Completions of the editor in a file whose text matches `imported`. */
  readonly sdk?: {
    readonly imported: RegExp;
    readonly modules: readonly string[];
    readonly entries: readonly SdkEntry[];
  };
}

/** The part of a family that every client may know. It is part of the dashboard, so it stays small. */
export interface RuntimeSummary {
  readonly family: string;
  /** Name of the language or platform, for people. */
  readonly label: string;
  /** By canonical id. */
  readonly runtimes: Readonly<Record<string, RuntimeRelease>>;
  /** The first one is the simplest. */
  readonly templates?: readonly ProjectTemplate[];
  readonly languages: readonly EditorLanguage[];
}

/** A program that was found, with a version that it runs. */
export interface FoundVersion {
  readonly program: string;
  readonly version: string;
}

/** The package names the interpreter, and the host runs it if its owner allows that. */
export const BY_PACKAGE = 'by package';

/** The program that runs the bots of a family. */
export interface Interpreter {
  /** Name of the program, and its name on Windows where that differs. */
  readonly program: string;
  readonly windowsProgram?: string;
  /** Further names under which a fitting version may be installed. */
  readonly alternatives?: (least: string) => readonly string[];
  /** The host itself runs on it: the host's own program is tried first. */
  readonly runsHost?: true;
  /** Any version will do, whatever `least` of a release says. */
  readonly anyVersion?: true;
  /** Arguments that make the program print what `read` understands. */
  readonly ask: readonly string[];
  /** The versions in what a program printed; empty when it told none. */
  readonly read: (output: string, program: string) => readonly FoundVersion[];
  /** A version that is too old, in a list of what was found. */
  readonly describe: (found: FoundVersion) => string;
  /** Object of "This bot needs …". */
  readonly needs: (least: string) => string;
  /** How to install it. */
  readonly install: (least: string) => string;
  /** Download site: the desktop app opens links to this site. */
  readonly site: string;
  /** Its name in "it has … 3.9, and 3.11 or later is needed". */
  readonly name: string;
}

/** An entry of bot-config.yaml in its parts. */
export interface EntryParts {
  readonly file: string;
  readonly mainClass: string | null;
}

/** A rule that the entries of a family follow. */
export interface EntryRule {
  readonly extension: string;
  /** An entry may end with `:MainClass`. */
  readonly hasMainClass?: true;
  readonly hint: string;
}

/** Folder with the code of a bot, and the path style of its system. */
export interface CodePlace {
  readonly dir: string;
  readonly delimiter: string;
  readonly join: (...parts: string[]) => string;
}

/** Dependencies as a project declares them. */
export interface Dependencies {
  /** Text of the manifest, and of the lock file where there is one. */
  readonly manifest: string;
  readonly lock: string | null;
  /** The manifest as an object; null for a family whose manifest is plain text. */
  readonly json: Readonly<Record<string, unknown>> | null;
  /** Version of the binary interface of native modules. */
  readonly abi: string;
  /** Makes a path absolute, from the project. */
  readonly absolute: (path: string) => string;
}

/** How to install the dependencies of a project. */
export interface Installation {
  /** Told when it begins. */
  readonly line: string;
  /** If these texts are unchanged, what was installed before is still right. */
  readonly stamp: readonly string[];
  /** The stamp cannot tell what may have changed. */
  readonly always: boolean;
  readonly tool: string;
  /** On Windows the tool is a script, which only a shell starts. */
  readonly isWindowsScript?: true;
  /** Arguments of the tool, given the folder to install into. */
  readonly args: (target: string) => readonly string[];
  /** Files of the folder to install into, by name. */
  readonly files: Readonly<Record<string, string>>;
}

/** How the dependencies of a family get into a package. */
export interface Vendoring {
  readonly manifest: string;
  readonly isJson: boolean;
  readonly lock?: string;
  /** The tool runs in the project, or in the folder to install into. */
  readonly runsIn: 'project' | 'target';
  /** Place of the result: a folder of the project, or one of the work folder that is laid over the package. */
  readonly place: { readonly folder: string } | { readonly workFolder: string; readonly overlay: string };
  /** Files of the project that the tool needs beside the manifest, and what it leaves that no package holds. */
  readonly copies: readonly string[];
  readonly removes: readonly string[];
  /** Null when there is nothing to install. */
  readonly plan: (dependencies: Dependencies) => Installation | null;
}

/**
 * A program that finds syntax errors. It reads a text on its standard input and prints `null`, or the first error as
 * JSON: `{"line", "column", "message", "version"}`, where columns count letters and `version` is its own.
 */
export interface SyntaxCheck {
  readonly extension: string;
  readonly args: readonly string[];
}

/** How the errors of a family show in the output of a program that failed. */
export interface FailureReader {
  /** The error that ended a run, from the lines of one output (indexes of `run.lines`); null when there is none. */
  readonly readTrace?: (run: OutputOfRun, view: readonly number[]) => Trace | null;
  /** Code of an error that no narrower rule explains. */
  readonly exception?: FailureCode;
  readonly missingModule?: {
    readonly code: FailureCode;
    /** The first group is the module. */
    readonly match: readonly RegExp[];
    readonly applies?: (trace: Trace) => boolean;
    readonly action: (module: string) => string;
  };
  readonly syntaxError?: {
    readonly code: FailureCode;
    readonly applies: (trace: Trace, run: OutputOfRun) => boolean;
  };
  /** Errors that say more than their class. */
  readonly special?: readonly {
    readonly code: FailureCode;
    readonly applies: (trace: Trace) => boolean;
    readonly say: (trace: Trace) => string;
    readonly action: string;
  }[];
  /** A key that is not in the config; the first group is the key. */
  readonly missingConfigKey?: { readonly applies: (trace: Trace) => boolean; readonly match: readonly RegExp[] };
  /** Words of the family for a failed allocation, in the first group. */
  readonly outOfMemory?: readonly RegExp[];
}

/** A check by `platform doctor` of the programs of a family on this machine. */
export interface DoctorCheck {
  readonly id: string;
  readonly name: string;
  readonly why: string;
  readonly program: string;
  readonly windowsProgram?: string;
  readonly args: readonly string[];
  readonly least?: string;
  /** The next step when it is missing or too old. */
  readonly advice: string;
  /** A second program that is needed with it. */
  readonly also?: { readonly program: string; readonly args: readonly string[]; readonly advice: string };
}

/** The part of a family that starts, packs and explains its bots. */
export interface RuntimeDescriptor {
  readonly summary: RuntimeSummary;
  /** Null: a bot is a program itself. */
  readonly interpreter: Interpreter | typeof BY_PACKAGE | null;
  readonly entry?: EntryRule;
  /**
   * Arguments of the interpreter; `runner` gives the path of a file of resources/runners. `given`: the arguments that the package
   * names beside its interpreter.
   */
  readonly args: (entry: EntryParts, runner: (file: string) => string, given: readonly string[]) => readonly string[];
  /** The flag that limits a managed heap. */
  readonly heapFlag?: (megabytes: number) => string;
  /** Argument that names the folder for temporary files, for an interpreter that does not ask TMPDIR for it. */
  readonly temporaryFlag?: (folder: string) => string;
  /** Memory that a program reserves without using it, in MB; null: too much for any useful bound (RLIMIT_DATA). */
  readonly reservedMb: number | null;
  /** Environment of its bots. */
  readonly environment?: (code: CodePlace) => Readonly<Record<string, string>>;
  /** Environment of all bots, since any of them may start a program of this family. */
  readonly environmentOfAll?: Readonly<Record<string, string>>;
  readonly vendoring?: Vendoring;
  readonly syntax?: SyntaxCheck;
  readonly failure?: FailureReader;
  readonly doctor?: DoctorCheck;
}
