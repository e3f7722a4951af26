import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Check, subject } from '../check-result.ts';
import type { Adapter } from './adapter.ts';
import { checkKills, checkStopHook } from './kills-and-stop-hook.ts';
import { checkRuns, checkWarm } from './query-run.ts';
import { checkServer, type Finding } from './query-server.ts';
import { type Outcome, readVectors, runVector, type VectorCase } from './vectors.ts';

/** How an SDK has a function: `ok`, `missing`, or `fault` where it has it and it does something else. */
export type Has = 'ok' | 'missing' | 'fault';

/** What came of an adapter: checks for people, and each function of the contract for the table. */
export interface Verdict {
  readonly checks: readonly Check[];
  readonly functions: Readonly<Record<string, Has>>;
}

/** Parts that can be looked at on their own. */
export const PARTS = ['vectors', 'state', 'stop', 'server', 'run', 'warm'] as const;
export type Part = (typeof PARTS)[number];

const AT_ONCE = 3;
const WHY_VECTORS = 'Hosts, charts and the ledger read these bytes, whatever language wrote them.';
const HINT = 'The contract is docs/sdks.md; resources/sdk has it in several languages.';

/** Runs all, a few at a time, in their order. */
async function inParallel<T, R>(all: readonly T[], run: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < all.length; at = next++) results[at] = await run(all[at] as T);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

/** Functions of the vectors, in the order in which they come up. */
function functionsOf(cases: readonly VectorCase[]): string[] {
  return [...new Set(cases.flatMap(({ steps }) => steps.map(({ fn }) => fn)))];
}

interface Judged {
  readonly fn: string;
  readonly has: Has;
  readonly passed: number;
  /** The first case that does not hold. */
  readonly wrong: string | null;
}

/** What the cases say of each function. A case speaks of the functions that it calls; the last one called is to blame. */
function judge(cases: readonly VectorCase[], outcomes: readonly Outcome[]): Judged[] {
  const missing = new Set(outcomes.flatMap((outcome) => (outcome.is === 'missing' ? [outcome.fn] : [])));
  return functionsOf(cases).map((fn) => {
    const own = cases.flatMap((one, at) => {
      const outcome = outcomes[at];
      return outcome === undefined || !one.steps.some((step) => step.fn === fn) ? [] : [{ one, outcome }];
    });
    const passed = own.filter(({ outcome }) => outcome.is === 'ok').length;
    const faults = own.flatMap(({ one, outcome }) => {
      if (outcome.is === 'fault') return [`${one.name}: ${outcome.what}`];
      const isDenied = outcome.is === 'missing' && outcome.fn === fn && passed > 0;
      return isDenied ? [`${one.name}: it says that it does not know the function, which it has in another case`] : [];
    });
    const [wrong = null] = faults;
    const has: Has = missing.has(fn) && passed === 0 ? 'missing' : wrong === null && passed > 0 ? 'ok' : 'fault';
    return { fn, has, passed, wrong };
  });
}

function checksOf(judged: readonly Judged[]): Check[] {
  return judged.map(({ fn, has, passed, wrong }) => {
    const about = subject(`function.${fn}`, fn, WHY_VECTORS);
    if (has === 'missing')
      return about.note(
        'the SDK has no such function',
        'Bots of other languages that use it cannot be moved to this one.',
      );
    if (has === 'ok') return about.ok(passed === 1 ? '1 case' : `${passed} cases`);
    return about.fault(wrong ?? 'each of its cases needs a function that is missing', HINT);
  });
}

const WHY: Readonly<Record<string, string>> = {
  server: 'The host asks the query server of a bot, and so may any program of the machine that finds its port.',
  run: 'A scheduled bot, and a bot that is stopped, answers each question by a run of its query program.',
  warm: 'With prewarm_queries the host starts the program ahead of its question.',
  state: 'A kill, a crash or a power cut must leave the old value or the new one.',
  stop: 'The host has the bot close its orders before it ends it.',
};

function checksOfFindings(part: Part, findings: readonly Finding[]): Check[] {
  return findings.map(([name, wrong]) => {
    const about = subject(`${part}.${name.replaceAll(' ', '_')}`, name, WHY[part] ?? '');
    return wrong === null ? about.ok('as the contract says') : about.fault(wrong, HINT);
  });
}

/** The rows of the table that are no function of the vectors. */
function hasOf(findings: readonly Finding[]): Has {
  return findings.some(([, wrong]) => wrong !== null) ? 'fault' : 'ok';
}

/** Looks at an adapter, and so at the SDK behind it. Rejects with AdapterMissing where it cannot be started. */
export async function verifySdk(
  adapter: Adapter,
  resourcesDir: string,
  {
    parts = PARTS,
    told = () => undefined,
  }: { readonly parts?: readonly Part[]; readonly told?: (part: string) => void } = {},
): Promise<Verdict> {
  const work = mkdtempSync(join(tmpdir(), 'sdk-verify-'));
  let count = 0;
  const folder = (): string => {
    const dir = join(work, String(++count));
    mkdirSync(dir);
    return dir;
  };
  const checks: Check[] = [];
  const functions: Record<string, Has> = {};
  const look = async (part: Part, name: string, find: () => Promise<Finding[]>): Promise<void> => {
    if (!parts.includes(part)) return;
    told(name);
    const findings = await find();
    checks.push(...checksOfFindings(part, findings));
    if (findings.length > 0) functions[name] = hasOf(findings);
  };
  try {
    if (parts.includes('vectors')) {
      told('vectors');
      const cases = readVectors(resourcesDir);
      const judged = judge(cases, await inParallel(cases, (one) => runVector(adapter, one, folder())));
      checks.push(...checksOf(judged));
      for (const { fn, has } of judged) functions[fn] = has;
    }
    await look('state', 'state under kills', () => checkKills(adapter, resourcesDir, folder));
    await look('stop', 'on_stop', () => checkStopHook(adapter, folder));
    await look('server', 'query server', () => checkServer(adapter, resourcesDir, folder));
    await look('run', 'query run', () => checkRuns(adapter, folder));
    await look('warm', 'warm start', () => checkWarm(adapter, folder));
    return { checks, functions };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
