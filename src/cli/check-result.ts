/**
 * Outcome of a check. `spare`: missing and not needed. `note`: it works, but deserves a look. `fault`: a host, or a
 * request to it, fails or is unsafe.
 */
export type Level = 'ok' | 'spare' | 'note' | 'fault';

/** Remedy that `--fix` carries out for a check: only steps that lose nothing and that a person would take, too. */
export interface Fix {
  /** Text that ends a sentence which begins with "I". */
  readonly what: string;
  run(): void | Promise<void>;
}

/** Result of one check. */
export interface Check {
  /** Stable, for scripts. */
  readonly id: string;
  readonly name: string;
  readonly level: Level;
  /** The finding. */
  readonly message: string;
  /** Reason why it matters. */
  readonly why: string;
  /** Advice; null where there is nothing to do. */
  readonly hint: string | null;
  readonly fix: Fix | null;
}

/** The subject of several checks: they share id, name and reason. */
export interface Subject {
  ok(message: string): Check;
  spare(message: string, hint?: string): Check;
  note(message: string, hint: string, fix?: Fix): Check;
  fault(message: string, hint: string, fix?: Fix): Check;
}

export function subject(id: string, name: string, why: string): Subject {
  const make = (level: Level, message: string, hint: string | null, fix: Fix | null): Check => {
    return { id, name, level, message, why, hint, fix };
  };
  return {
    ok: (message) => make('ok', message, null, null),
    spare: (message, hint) => make('spare', message, hint ?? null, null),
    note: (message, hint, fix) => make('note', message, hint, fix ?? null),
    fault: (message, hint, fix) => make('fault', message, hint, fix ?? null),
  };
}
