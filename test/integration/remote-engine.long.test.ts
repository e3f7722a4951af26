import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { UnitHandle } from '../../src/main/host/engine/engine.ts';
import { type Nodes, RemoteEngine, withoutPath } from '../support/remote-engine.ts';
import { tempDir } from '../support/temp.ts';
import { unitSpec } from '../support/units.ts';
import { begin, engineContract } from './engine-contract.ts';

const root = tempDir('far-');
const make = () => withoutPath(new RemoteEngine(root, tempDir('copies-')), root);

engineContract({ name: 'engine elsewhere', code: 'elsewhere', make });

it('a program runs on a node with the labels that its bot asks for, and waits for no other while that is away', async () => {
  const nodes: Nodes = {
    near: { labels: { region: 'tokyo' }, available: false },
    far: { labels: { region: 'paris' }, available: true },
  };
  const engine = new RemoteEngine(tempDir('far-'), tempDir('copies-'), nodes);
  const placed = (region: string) => unitSpec(tempDir(), 'succeed.sh', { placement: { labels: { region } } });
  expect((await begin(engine, placed('paris'))).handle).toMatchObject({ node: 'far' });
  await expect(engine.start(placed('tokyo'), () => undefined)).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    message: 'The nodes on which the bot may run cannot be reached: near',
  });
});

it('a host that went on with an old copy of a bot starts nothing of it', async () => {
  const engine = make();
  const root = tempDir();
  const of = (epoch: number) => unitSpec(root, 'succeed.sh', { botId: 'bot_epochs', epoch });
  for (const epoch of [1, 3, 3]) await (await begin(engine, of(epoch))).unit.exited;
  const created: UnitHandle[] = [];
  await expect(engine.start(of(2), (handle) => void created.push(handle))).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
  });
  expect(created).toEqual([]);
});

it('a path of the engine that reaches the host is found', async () => {
  const leaky = {
    given: async () => ({ deep: [join(root, 'x')] }),
    thrown: async () => Promise.reject(new Error(`cannot open ${root}/x`)),
  };
  for (const call of [withoutPath(leaky, root).given(), withoutPath(leaky, root).thrown()])
    await expect(call).rejects.toThrow('was given a path');
});
