import type { Reason, RunStatus } from '../../../../contract/bot.ts';
import type { FailureCode, FailureFix, FailureStep } from '../../../../contract/failure.ts';
import type { LogEntry } from '../../../../contract/telemetry.ts';
import type { Trace } from '../../../../runtimes/trace.ts';

export type FailureLogLine = Pick<LogEntry, 'seq' | 'ts' | 'level' | 'source' | 'message' | 'fields'>;

/** All that is known of a run that ended badly. Everything a bot printed is hostile data. */
export interface FailedRun {
  readonly botId: string;
  readonly runId: string | null;
  readonly role: 'bot' | 'query';
  /** Folder of the published code; null when the version cannot be opened. */
  readonly codeDir: string | null;
  readonly status: RunStatus;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly reason: Reason | null;
  /** From start to end; null when it never started. */
  readonly durationMs: number | null;
  readonly memoryMb: number | null;
  /** Its newest log lines, oldest first. */
  readonly lines: readonly FailureLogLine[];
}

/** A text that may name the cause, with the line it stands in; null: not from the log. */
export interface Clue {
  readonly text: string;
  readonly line: number | null;
}

/** A run with what its output says about its end. */
export interface Ending {
  readonly run: FailedRun;
  readonly trace: Trace | null;
  readonly clues: readonly Clue[];
}

/** The finding of a rule. */
export interface Verdict {
  readonly code: FailureCode;
  readonly step: FailureStep;
  readonly message: string;
  readonly next: { readonly action: string; readonly commands: readonly string[]; readonly fix: FailureFix | null };
  /** Places in `lines` of what shows it, in order. */
  readonly evidence: readonly number[];
}
