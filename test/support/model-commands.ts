import fc from 'fast-check';
import {
  type Counts,
  MINUTE,
  MODEL_BOTS,
  type ModelBot,
  ModelWorld,
  type Planted,
  type StartFault,
} from './model-world.ts';
import { testSeed } from './seeded-random.ts';
import { SteadyTimers } from './steady-timers.ts';

type Work = (world: ModelWorld, botId: string, n: number) => void;

/** A request of a user; that it may be refused is not for this test to judge. */
function ask(request: (world: ModelWorld, botId: string) => Promise<unknown> | undefined): Work {
  return (world, botId) => {
    request(world, botId)?.catch(() => undefined);
  };
}

const EXITS = [
  { exitCode: 0, signal: null },
  { exitCode: 1, signal: null },
  { exitCode: null, signal: 'SIGSEGV' },
  { exitCode: null, signal: null },
] as const;
const START_FAULTS: readonly StartFault[] = ['refused', 'broken', 'mayRun', 'mayNotRun', 'lacking'];
const CLOCK_JUMPS_MS = [-86_400_000, -120_000, -1000, 1000, 120_000, 86_400_000] as const;
const PASSING_MS = [100, 1000, 5000, 15_000, 60_000, 400_000] as const;

const of = <T>(items: readonly [T, ...T[]] | readonly T[], n: number): T => {
  const item = items[n % items.length];
  if (item === undefined) throw new RangeError('nothing to choose from');
  return item;
};

/** What may happen, the harmless first: a failing sequence shrinks towards them. */
const COMMANDS: readonly (readonly [name: string, work: Work])[] = [
  ['pass', (world, _, n) => world.pass(of(PASSING_MS, n))],
  ['look at all', (world) => world.tick()],
  ['exit', (world, botId, n) => world.exit(botId, of(EXITS, n))],
  ['exit', (world, botId, n) => world.exit(botId, of(EXITS, n))],
  ['due', (world, botId, n) => due(world, botId, n)],
  ['due', (world, botId, n) => due(world, botId, n)],
  ['start', ask((world, botId) => asked(world, botId, (host, bot) => host.instances.start(bot, { release: null })))],
  ['stop', ask((world, botId) => asked(world, botId, (host, bot) => host.instances.stop(bot)))],
  ['restart', ask((world, botId) => asked(world, botId, (host, bot) => host.instances.restart(bot)))],
  ['run now', ask((world, botId) => asked(world, botId, (host, bot) => host.instances.runNow(bot)))],
  ['update', (world, botId, n) => update(world, botId, { config: { n } })],
  ['enable', (world, botId) => update(world, botId, { enabled: true })],
  ['disable', (world, botId) => update(world, botId, { enabled: false })],
  ['delete', ask((world, botId) => asked(world, botId, (host, bot) => host.instances.erase(bot)))],
  ['jump', (world, _, n) => world.set({ now: world.now + of(CLOCK_JUMPS_MS, n) })],
  ['hold', (world) => world.hold()],
  ['release', (world) => world.release()],
  ['lose engine', (world) => world.engineLost()],
  ['engine back', (world) => world.engineBack()],
  ['unready', (world) => world.unready()],
  ['ready', (world, _, n) => world.ready(n % 3 === 0 ? new Error('no such image') : null)],
  ['next start', (world, _, n) => void world.startFaults.push(of(START_FAULTS, n))],
  ['next start', (world, _, n) => void world.startFaults.push(of(START_FAULTS, n))],
  ['hide', (world, botId) => world.hide(botId, true)],
  ['show', (world, botId) => world.hide(botId, false)],
  ['stubborn', (world) => world.set({ isStubborn: true })],
  ['end stopped', (world) => world.endStopped()],
  ['fail writes', (world, _, n) => world.set({ failingWrites: 1 + (n % 4) })],
  ['fill disk', (world) => world.set({ isDiskFull: true })],
  ['free disk', (world) => world.set({ isDiskFull: false })],
  ['fail logs', (world, _, n) => world.set({ failingLogs: 1 + (n % 3) })],
  ['die', (world) => world.die()],
  ['die soon', (world, _, n) => world.set({ fuse: n })],
  ['die soon', (world, _, n) => world.set({ fuse: n })],
  ['close', (world, _, n) => world.set({ isClosing: n % 2 === 0 ? 'leave' : 'end' })],
  [
    'start held',
    ask((world, botId) =>
      asked(world, botId, (host, bot) =>
        host.instances.start(bot, { release: world.bot(botId)?.hold?.hold_id ?? null }),
      ),
    ),
  ],
  ['panic', ask((world, botId) => asked(world, botId, (host, bot) => host.holds.panic(bot, 'a person')))],
];

type Host = NonNullable<ModelWorld['host']>;
type Bot = NonNullable<ReturnType<ModelWorld['bot']>>;

function asked(
  world: ModelWorld,
  botId: string,
  request: (host: Host, bot: Bot) => Promise<unknown>,
): Promise<unknown> | undefined {
  const bot = world.bot(botId);
  // A request comes to no bot that is being deleted (api/own-bot.ts).
  return world.host === null || bot === null || bot.deleting ? undefined : request(world.host, bot);
}

function update(world: ModelWorld, botId: string, change: { config?: { n: number }; enabled?: boolean }): void {
  const done = asked(world, botId, ({ instances }, bot) => instances.update(bot, { bot_id: botId, ...change }));
  done?.catch(() => undefined);
}

/** Decides a due time as the scheduler would: the last one before now, or one that was decided before. */
function due(world: ModelWorld, botId: string, n: number): void {
  if (botId === 'realtime' || world.host === null) return;
  const scheduledAt = Math.floor(world.now / MINUTE) * MINUTE - (n % 4 === 0 ? MINUTE : 0);
  const run = { scheduledAt, trigger: n % 2 === 0 ? 'schedule' : 'catch_up' } as const;
  try {
    world.host.schedule.decide([{ botId, decidedTo: world.now, run, missed: [], missedMore: 0 }]);
  } catch {
    // The scheduler reports it, and decides again.
  }
}

const NUMBERS = 32;
const CASES = COMMANDS.length * MODEL_BOTS.length * NUMBERS;

interface Command {
  readonly name: string;
  readonly botId: string;
  readonly n: number;
  readonly work: Work;
}

function commandOf(code: number, bots: readonly ModelBot[]): Command {
  const [name, work] = of(COMMANDS, Math.floor(code / (MODEL_BOTS.length * NUMBERS)));
  return { name, work, botId: of(bots, Math.floor(code / NUMBERS)), n: code % NUMBERS };
}

/** The code of a command in words, as `inWords` writes it. */
function codeOf(words: string): number {
  const [, name, botId, n] = /^(.+) (\w+) (\d+)$/.exec(words) ?? [];
  const at = COMMANDS.findIndex(([own]) => own === name);
  const bot = MODEL_BOTS.findIndex((own) => own.startsWith(botId ?? '?'));
  if (at < 0 || bot < 0) throw new RangeError(`no command "${words}"`);
  return (at * MODEL_BOTS.length + bot) * NUMBERS + Number(n);
}

/** What sequences are tried on. */
interface Of {
  readonly bots?: readonly ModelBot[];
  readonly planted?: Planted;
}

/** Tries one sequence. */
async function tryOne(
  codes: readonly number[],
  timers: SteadyTimers,
  { bots = MODEL_BOTS, planted = {} }: Of = {},
): Promise<ModelWorld> {
  timers.reset();
  const world = new ModelWorld(timers, bots, planted);
  for (const code of codes) {
    const { work, botId, n } = commandOf(code, bots);
    await world.command(() => work(world, botId, n));
    await world.closeIfAsked();
    if (world.violations.length > 0) break;
  }
  if (world.violations.length === 0) await world.settle();
  return world;
}

/** Sequences of whatever may happen to a host and its bots. */
const sequences = fc.array(fc.nat({ max: CASES - 1 }), { minLength: 1, maxLength: 24 });

/**
 * Tries so many sequences, and fails with the shortest one that violates an invariant. `TEST_SEED` replays a run. Resolves
 * to what has happened in all of them.
 */
export async function tryOut(count: number, on: Of = {}): Promise<Counts & { readonly commands: number }> {
  const timers = new SteadyTimers();
  const counts = { commands: 0, deaths: 0, programs: 0 };
  timers.install();
  try {
    const holds = fc.asyncProperty(sequences, async (codes) => {
      const world = await tryOne(codes, timers, on);
      const { deaths, programs } = world.counts;
      world.die();
      counts.commands += codes.length;
      counts.deaths += deaths;
      counts.programs += programs;
      if (world.violations.length > 0)
        throw new Error(`${world.violations.join('\n')}\nafter: ${inWords(codes, on.bots ?? MODEL_BOTS)}`);
    });
    await fc.assert(holds, { numRuns: count, seed: testSeed() });
    return counts;
  } finally {
    timers.restore();
  }
}

/** What one sequence violates, given in words. */
export async function violationsAfter(words: string): Promise<readonly string[]> {
  const timers = new SteadyTimers();
  timers.install();
  try {
    return (await tryOne(words.split('; ').map(codeOf), timers)).violations;
  } finally {
    timers.restore();
  }
}

/** A sequence in words: commands with their bot and number. */
const inWords = (codes: readonly number[], bots: readonly ModelBot[]): string =>
  codes
    .map((code) => commandOf(code, bots))
    .map(({ name, botId, n }) => `${name} ${botId} ${n}`)
    .join('; ');
