import { expect, it, onTestFinished, vi } from 'vitest';
import { PlatformError } from '../../../../../src/contract/errors.ts';
import { Isolation } from '../../../../../src/main/host/bots/isolation.ts';
import { liveRun } from '../../../../../src/main/host/bots/live-run.ts';
import { QueryPrograms } from '../../../../../src/main/host/bots/query-programs.ts';
import { UnitSpecs } from '../../../../../src/main/host/bots/unit-spec.ts';
import { Engines } from '../../../../../src/main/host/engine/engines.ts';
import { createProcessEngine } from '../../../../../src/main/host/engine/process/process-engine.ts';
import { KeyedMutex } from '../../../../../src/shared/keyed-mutex.ts';
import { botRow } from '../../../../support/bot-row.ts';
import { HeldEngine } from '../../../../support/held-engine.ts';
import { tempDir } from '../../../../support/temp.ts';
import { LOCAL_PARTS, unitSpec } from '../../../../support/units.ts';

type Parts<T extends abstract new (deps: never) => unknown> = ConstructorParameters<T>[0];

type Deps = Parts<typeof QueryPrograms>;

/** Something of which a test gives as much as is used. */
const partly = <T>(given: Partial<T>): T => given as T;

it('starts no query program with less isolation than the host demands, and one as soon as there is enough', async () => {
  const engine = new HeldEngine(createProcessEngine(LOCAL_PARTS), 'sandbox', 'partial');
  engine.ready = true;
  const engines = new Engines([engine], 'sandbox', 'sandbox');
  const isolation = new Isolation('sandbox', engines);
  const networks = { pass: () => null, environment: async () => ({ env: {}, way: null }) };
  const codes = {
    open: (): never => {
      throw new PlatformError('CUSTOM_BOT_NOT_FOUND');
    },
  };
  class OneSpec extends UnitSpecs {
    override spec() {
      return unitSpec(tempDir(), 'succeed.sh', { role: 'query', botType: 'realtime' });
    }
  }
  const unitSpecs = new OneSpec(partly<Parts<typeof UnitSpecs>>({ codes, engines, isolation, networks }));
  const queries = new QueryPrograms(
    partly<Deps>({
      unitSpecs,
      runs: partly<Deps['runs']>({ unitsOf: () => [], removeUnit: () => undefined, addUnit: () => undefined }),
      bots: partly<Deps['bots']>({ get: () => null }),
      telemetry: partly<Deps['telemetry']>({ hostLine: () => undefined }),
      serial: new KeyedMutex(),
      runsOf: () => [],
      // So that nothing is tried again behind the test.
      isWanted: () => false,
      attach: async () => undefined,
      now: () => 0,
      random: () => 0,
      onError: () => undefined,
    }),
  );
  const bot = botRow({ type: 'realtime', engine: 'sandbox' });
  const run = partly<Parameters<typeof liveRun>[0]['run']>({ runId: 'run_1', botId: 'bot_1' });
  const prepared = partly<NonNullable<Parameters<typeof liveRun>[0]['prepared']>>({ secrets: [] });
  const live = liveRun({
    ...{ run, epoch: 1, engine: 'sandbox', prepared, secrets: [], queryToken: null },
    unit: partly({}),
  });
  await queries.start(bot, live);
  expect([engine.started.length, live.query]).toEqual([0, null]);
  engine.level = 'sandbox';
  await queries.start(bot, live);
  expect(engine.started.length).toBe(1);
  await live.query?.exited;
});

it('asks anew which isolation its bot needs before it is tried again', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const asked: (string | null)[] = [];
  const unitSpecs = partly<Deps['unitSpecs']>({
    servesQueries: () => true,
    tryAgain: async ({ isolationException }) => {
      asked.push(isolationException?.least ?? null);
      throw new Error('not yet');
    },
  });
  let row = botRow({ type: 'realtime' });
  const queries = new QueryPrograms(
    partly<Deps>({
      unitSpecs,
      bots: partly<Deps['bots']>({ get: () => row }),
      telemetry: partly<Deps['telemetry']>({ hostLine: () => undefined }),
      serial: new KeyedMutex(),
      isWanted: () => asked.length < 2,
      random: () => 0,
      onError: () => undefined,
    }),
  );
  const run = partly<Parameters<typeof liveRun>[0]['run']>({ runId: 'run_1', botId: 'bot_1' });
  const prepared = partly<NonNullable<Parameters<typeof liveRun>[0]['prepared']>>({ secrets: [] });
  const live = liveRun({
    ...{ run, epoch: 1, engine: 'sandbox', prepared, secrets: [], queryToken: null },
    unit: partly({}),
  });
  await queries.start(row, live);
  row = { ...row, isolationException: { least: 'sandbox', since: 0 } };
  await vi.advanceTimersByTimeAsync(1000);
  expect(asked).toEqual([null, 'sandbox']);
});
