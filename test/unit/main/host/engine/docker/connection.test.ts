import diagnostics from 'node:diagnostics_channel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DockerConnection, isMissing, refusalOf } from '../../../../../../src/main/host/engine/docker/connection.ts';
import { AnsweringEngine } from '../../../../../support/docker/answering-engine.ts';
import { until } from '../../../../../support/until.ts';

function connection(setting: string | null): DockerConnection {
  const made = new DockerConnection(setting);
  onTestFinished(() => made.close());
  return made;
}

async function answering(): Promise<AnsweringEngine> {
  const engine = new AnsweringEngine();
  onTestFinished(() => engine.stop());
  await engine.start();
  return engine;
}

describe.skipIf(process.platform === 'win32')('the way to an engine', () => {
  it('is looked for once by all who ask at once', async () => {
    const engine = await answering();
    const way = connection(engine.socket);
    const [first, second] = await Promise.all([way.get(), way.get()]);
    expect(first).toBe(second);
    expect(first).toMatchObject({ address: `unix://${engine.socket}`, facts: { product: 'Docker 28.2.2' } });
    expect([way.isUp, way.isDown]).toEqual([true, false]);
  });

  it.each([
    ['unix:///no/such.sock', 'unix:///no/such.sock: nothing answers there'],
    ['tcp://127.0.0.1:1', 'tcp://127.0.0.1:1: nothing answers there'],
    ['tcp://10.1.2.3:2375', 'tcp://10.1.2.3:2375: it is on another machine'],
    ['nonsense', 'nonsense: it is not an address'],
  ])('is missing at %s, and it says why and what to do', async (setting, why) => {
    const way = connection(setting);
    await expect(way.get()).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringContaining(`No container engine can be used: ${why}`),
      hint: expect.stringMatching(/Start Docker, or choose another engine for the bot \(options\.engine\)/),
      retryAfter: 5,
    });
    expect([way.isUp, way.isDown]).toEqual([false, true]);
  });

  it('is sent a request only where there is a socket', async () => {
    let requests = 0;
    const count = (): void => {
      requests += 1;
    };
    diagnostics.subscribe('http.client.request.created', count);
    onTestFinished(() => void diagnostics.unsubscribe('http.client.request.created', count));
    await expect(connection('unix:///no/such.sock').get()).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
    expect(requests).toBe(0);
    await connection((await answering()).socket).get();
    expect(requests).toBeGreaterThan(0);
  });

  it('is lost and found again, and both are told once', async () => {
    const engine = await answering();
    const way = connection(engine.socket);
    const told: string[] = [];
    way.onLost(() => told.push('lost'));
    way.onBack(() => told.push('back'));
    await way.call(({ docker }) => docker.ping());
    await engine.stop();
    const failures = await Promise.allSettled([1, 2].map(() => way.call(({ docker }) => docker.ping())));
    for (const failure of failures)
      expect(failure).toMatchObject({ reason: { code: 'ENGINE_UNAVAILABLE', retryAfter: 5 } });
    expect(told).toEqual(['lost']);
    await engine.start();
    await until('the engine to be found', () => way.isUp);
    expect(told).toEqual(['lost', 'back']);
    await way.call(({ docker }) => docker.ping());
  });

  it('stays when the engine only refuses something', async () => {
    const engine = await answering();
    const way = connection(engine.socket);
    const error = await way.call(({ docker }) => docker.getContainer('x').inspect()).catch((thrown: unknown) => thrown);
    expect(isMissing(error)).toBe(true);
    expect(refusalOf(error)).toEqual({ status: 404, message: 'no such thing: /containers/x/json' });
    expect(way.isUp).toBe(true);
    expect(refusalOf(new Error('other'))).toBeNull();
  });
});
