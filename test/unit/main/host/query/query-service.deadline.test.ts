import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type {
  Engine,
  Progress,
  Unit,
  UnitExit,
  UnitHandle,
  UnitSpec,
} from '../../../../../src/main/host/engine/engine.ts';
import type { QueryRun } from '../../../../../src/main/host/query/query-run.ts';
import { createQueryService, type QueryServiceOptions } from '../../../../../src/main/host/query/query-service.ts';
import { LocalState } from '../../../../../src/main/host/state/local-state.ts';
import { readUntrusted } from '../../../../../src/node/read-untrusted.ts';
import { tempDir } from '../../../../support/temp.ts';
import { stateDirOf, unitSpec } from '../../../../support/units.ts';
import { until } from '../../../../support/until.ts';

const EXIT: UnitExit = { exitCode: 0, signal: null, endedAt: 0 };
const HANDLE: UnitHandle = { engine: 'hung' };
const forever = <T>(): Promise<T> => Promise.withResolvers<T>().promise;

/** An engine that hangs where a test wants it, until it is told to go on. */
class HungEngine {
  readonly name: string;
  hangs: 'prepare' | 'start' | 'stop' | 'ask' | null = null;
  prepared = 0;
  /** Programs whose code ran, those that wait for a question apart. */
  ran = 0;
  waiting = 0;
  stopped = 0;
  progress: Progress = () => undefined;
  goOn = Promise.withResolvers<void>();

  constructor(name = 'hung') {
    this.name = name;
  }

  state(botId: string): LocalState {
    return new LocalState(stateDirOf(botId));
  }

  async prepare(_runtime: string, progress: Progress = () => undefined): Promise<void> {
    this.prepared += 1;
    this.progress = progress;
    if (this.hangs === 'prepare') await this.goOn.promise;
  }

  async start(spec: UnitSpec, created: (handle: UnitHandle) => void): Promise<Unit> {
    if (this.hangs === 'start') await this.goOn.promise;
    created(HANDLE);
    if (spec.warm === true) this.waiting += 1;
    else this.ran += 1;
    const file = join(spec.runDir, 'answer.json');
    const exit = Promise.withResolvers<UnitExit>();
    const answer = (): void => writeFileSync(file, '{"status":"ok","data":1}');
    const stays = this.hangs === 'stop' || this.hangs === 'ask';
    if (spec.warm !== true && !stays) {
      answer();
      exit.resolve(EXIT);
    }
    const stop = async (): Promise<UnitExit> => {
      this.stopped += 1;
      if (this.hangs === 'stop') await this.goOn.promise;
      exit.resolve(EXIT);
      return exit.promise;
    };
    const ask = async (): Promise<boolean> => {
      if (this.hangs === 'ask' || this.hangs === 'stop') return forever();
      answer();
      return true;
    };
    const warm = spec.warm === true ? { ready: Promise.resolve(true), isWaiting: true, ask } : null;
    const unit: Partial<Unit> = {
      outputs: [],
      answer: (most) => readUntrusted(file, most),
      exited: exit.promise,
      warm,
      stop,
      stats: async () => null,
    };
    return unit as Unit;
  }
}

function setUp(options: QueryServiceOptions = {}) {
  const faults: string[] = [];
  const report = (where: string, error: unknown): void => void faults.push(`${where}: ${String(error)}`);
  const service = createQueryService({ report, endMs: 200, ...options });
  onTestFinished(() => service.close());
  const root = tempDir('query-deadline-');
  const codeDir = join(root, 'code');
  mkdirSync(codeDir);
  writeFileSync(join(codeDir, 'query.py'), 'from platform_sdk import query\nquery.run()\n');
  const specs: UnitSpec[] = [];
  const ask = (engine: HungEngine, timeoutMs = 150, over: Partial<QueryRun> = {}) => {
    const spec = unitSpec(root, 'query.py', { role: 'query', runtime: 'python311', codeDir });
    specs.push(spec);
    const run = { engine: engine as unknown as Engine, spec, mask: (text: string) => text, ...over };
    return service.run(run, { path: '/x', params: {}, timeoutMs });
  };
  const another = (): UnitSpec => unitSpec(root, 'query.py', { role: 'query', runtime: 'python311', codeDir });
  return { service, faults, ask, another, specs };
}

describe('the time-out of a query holds', () => {
  it('while an image is fetched, and says so', async () => {
    const { ask } = setUp();
    const engine = new HungEngine();
    engine.hangs = 'prepare';
    const answer = ask(engine);
    await until('the preparation', () => engine.prepared > 0);
    engine.progress('Getting python:3.11: 12 of 45 MB, 1 of 3 layers');
    await expect(answer).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringMatching(
        /within 0\.2 s, because its image is being fetched\. Getting python:3\.11: 12 of 45 MB/,
      ),
      hint: expect.stringContaining('platform images list'),
      retryAfter: 10,
    });
    engine.goOn.resolve();
    expect(engine.ran).toBe(0);
  });

  it('while an engine that hangs is made ready', async () => {
    const engine = new HungEngine();
    engine.hangs = 'prepare';
    await expect(setUp().ask(engine)).rejects.toMatchObject({
      code: 'QUERY_TIMEOUT',
      message: "Engine hung did not start the bot's query program within 0.2 s",
    });
  });

  it('while a program is started; one that comes too late never runs, and its folder goes', async () => {
    const { ask, specs, faults } = setUp();
    const engine = new HungEngine();
    engine.hangs = 'start';
    // A busy machine needs time for the steps before the start.
    await expect(ask(engine, 2000)).rejects.toMatchObject({
      code: 'QUERY_TIMEOUT',
      message: expect.stringContaining('hung'),
    });
    expect(existsSync(specs[0]?.runDir ?? '')).toBe(true);
    engine.goOn.resolve();
    await until('the end of its folder', () => !existsSync(specs[0]?.runDir ?? ''));
    expect([engine.ran, faults]).toEqual([0, []]);
  });

  it('while a program is ended', async () => {
    const { ask } = setUp();
    const engine = new HungEngine();
    engine.hangs = 'stop';
    await expect(ask(engine)).rejects.toMatchObject({
      code: 'QUERY_TIMEOUT',
      message: "The bot's query program did not finish within 0.2 s",
    });
    expect(engine.stopped).toBe(1);
    engine.goOn.resolve();
  });

  it('while a program that waited is asked, and ended', async () => {
    const { ask, service, another } = setUp();
    const engine = new HungEngine();
    await ask(engine, 5000, { another });
    await until('a program that waits', () => service.waiting().waiting === 1);
    engine.hangs = 'stop';
    await expect(ask(engine, 150, { another })).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' });
    await until('its end', () => engine.stopped === 1);
    engine.goOn.resolve();
  });
});

describe('an engine that hangs', () => {
  it('takes turns from no query on another one', async () => {
    const { ask } = setUp({ maxRuns: 1, maxWaiting: 1 });
    const hung = new HungEngine();
    hung.hangs = 'start';
    await expect(ask(hung)).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' });
    await expect(ask(hung)).rejects.toMatchObject({ message: 'The query waited 0.15 s for its turn' });
    expect((await ask(new HungEngine('other'))).result).toBe(1);
    hung.goOn.resolve();
    await until('a turn', () =>
      ask(hung, 50).then(
        ({ result }) => result === 1,
        () => false,
      ),
    );
  });

  it('is not asked to get ready by more than may wait', async () => {
    const { ask } = setUp({ maxWaiting: 2 });
    const hung = new HungEngine();
    hung.hangs = 'prepare';
    const asked = [ask(hung), ask(hung), ask(hung)].map((one) => one.then(String, ({ code }) => code));
    expect(await Promise.all(asked)).toEqual(['QUERY_TIMEOUT', 'QUERY_TIMEOUT', 'RATE_LIMITED']);
  });

  it.each(['endRuns', 'close'] as const)('is not waited for for ever: %s', async (end) => {
    const { ask, service, faults } = setUp();
    const hung = new HungEngine();
    hung.hangs = 'stop';
    const refused = expect(ask(hung, 60_000)).rejects.toMatchObject({ code: 'BOT_NOT_RUNNING' });
    await until('the program', () => hung.ran === 1);
    const begun = performance.now();
    await service[end]('bot_1');
    await refused;
    expect(performance.now() - begun).toBeLessThan(5000);
    const whose = end === 'endRuns' ? ' of bot_1' : '';
    expect(faults).toEqual([
      `query programs${whose}: Error: 1 not ended after 0.2 s: their engine does not answer, and ends them when it does`,
    ]);
    hung.goOn.resolve();
  });
});
