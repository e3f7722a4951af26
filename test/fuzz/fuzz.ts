import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom } from '../support/seeded-random.ts';
import type { FuzzSession, FuzzTarget } from './target.ts';

/** An input that was handled wrongly. */
export interface FoundFault {
  readonly target: string;
  /** Makes the same input again. */
  readonly seed: number;
  readonly input: string;
  readonly what: string;
}

/** The seed of the input with this number in a run that began with `first`. */
export function seedOf(first: number, number: number): number {
  return (first + Math.imul(number, 0x9e3779b1)) >>> 0;
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Gives an input to a target; null when it was handled right and in time. */
export async function tryInput(
  target: FuzzTarget,
  session: FuzzSession,
  input: string,
  seed: number,
): Promise<FoundFault | null> {
  const begun = process.cpuUsage();
  try {
    const pending = session.run(input);
    if (pending !== undefined) await pending;
  } catch (error) {
    return { target: target.name, seed, input, what: textOf(error) };
  }
  const { user, system } = process.cpuUsage(begun);
  const took = (user + system) / 1000;
  if (took <= target.limitMs) return null;
  return {
    target: target.name,
    seed,
    input,
    what: `took ${Math.round(took)} ms of the processor; ${target.limitMs} is the limit`,
  };
}

/** Opens a target in a folder of its own, which is removed afterwards. */
export async function withTarget<T>(target: FuzzTarget, use: (session: FuzzSession) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), `platform-fuzz-${target.name}-`));
  try {
    const session = await target.open(dir);
    try {
      return await use(session);
    } finally {
      await session.close();
    }
  } finally {
    rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

/** Gives a target as many inputs as `more` asks for; calls `begin` before each. */
export async function fuzz(
  target: FuzzTarget,
  session: FuzzSession,
  run: {
    readonly first: number;
    more(number: number): boolean;
    begin?(seed: number): void;
    fault(found: FoundFault): void;
  },
): Promise<number> {
  let number = 0;
  for (; run.more(number); number++) {
    const seed = seedOf(run.first, number);
    run.begin?.(seed);
    const found = await tryInput(target, session, target.make(new SeededRandom(seed)), seed);
    if (found !== null) run.fault(found);
  }
  return number;
}
