import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Unit, UnitSpec } from '../../src/main/host/engine/engine.ts';
import type { BoundedText } from '../../src/node/read-untrusted.ts';
import { until } from './until.ts';

/** Real programs that misbehave. */
export const BOTS = resolve(import.meta.dirname, '../fixtures/bots');
export const RUNNERS = resolve(import.meta.dirname, '../../resources/runners');

let runs = 0;

/** Where specs of this test have put the state of their bots. */
const stateDirs = new Map<string, string>();

/** The folder with the state of a bot: of the last spec that was made for it. Engines of tests are made with this. */
export function stateDirOf(botId: string): string {
  const dir = stateDirs.get(botId);
  if (dir === undefined) throw new Error(`no spec of ${botId} was made`);
  return dir;
}

/** Of what engines of tests for local processes are made: no folder of bots is theirs. */
export const LOCAL_PARTS = { runnersDir: RUNNERS, stateDir: stateDirOf, botsDir: '/none' } as const;

/** What a test says of a spec; `codeDir`: the folder of its code. */
export type SpecOver = Partial<UnitSpec> & { readonly codeDir?: string };

/** A spec for one of the fixture programs with folders below `root`. The runtime starts the file itself. */
export function unitSpec(root: string, entry: string, given: SpecOver = {}): UnitSpec {
  const { codeDir = BOTS, ...over } = given;
  runs += 1;
  const runId = over.runId ?? `run_${process.pid}_${runs}_${Date.now().toString(36)}`;
  const spec: UnitSpec = {
    botId: 'bot_1',
    runId,
    role: 'bot',
    botType: 'scheduled',
    runtime: 'gcc13',
    entry,
    code: { hash: createHash('sha256').update(codeDir).digest('hex'), dir: codeDir },
    runDir: join(root, 'runs', runId),
    env: { BOT_ID: 'bot_1', BOT_CONFIG: '{"n":1}', BOT_TYPE: over.botType ?? 'scheduled', RUN_ID: runId },
    limits: {},
    queryRun: false,
    epoch: 1,
    ...over,
  };
  stateDirs.set(spec.botId, join(root, 'state'));
  for (const dir of [stateDirOf(spec.botId), spec.runDir]) mkdirSync(dir, { recursive: true, mode: 0o700 });
  return spec;
}

/** What a unit has written so far. */
export function output(unit: Unit, stream: 'stdout' | 'stderr' = 'stdout'): string {
  const file = unit.outputs.find((each) => each.stream === stream);
  if (file === undefined) throw new Error(`no ${stream}`);
  return readFileSync(file.path, 'utf8');
}

const parsed = (written: BoundedText): unknown => {
  if (typeof written === 'string') throw new Error(`nothing to read: ${written}`);
  return JSON.parse(written.text);
};

/** More than any program of a test writes as its result or answer. */
export const MOST = 1_000_000;

/** The JSON that a unit has written as its result. */
export const resultOf = async (unit: Unit): Promise<unknown> => parsed(await unit.result(MOST));

/** The JSON that a query run has written as its answer. */
export const answerOf = async (unit: Unit): Promise<unknown> => parsed(await unit.answer(MOST));

/** Waits for a line on stdout. */
export async function said(unit: Unit, line: string): Promise<void> {
  await until(`"${line}" from the unit`, () => output(unit).split('\n').includes(line));
}

/** True while a process with this pid exists and has not ended. */
export function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return false;
    throw error;
  }
}

/** The number after a word in what a unit said, e.g. `escaped 123`. */
export function pidSaid(unit: Unit, word: string): number {
  const pid = Number(new RegExp(`^${word} (\\d+)$`, 'm').exec(output(unit))?.[1]);
  if (!Number.isInteger(pid)) throw new Error(`the unit did not say ${word}: ${output(unit)}`);
  return pid;
}
