import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RemoteEngine, withoutPath } from '../support/remote-engine.ts';
import { tempDir } from '../support/temp.ts';
import { engineContract } from './engine-contract.ts';

const root = tempDir('far-');
const make = () => withoutPath(new RemoteEngine(root, tempDir('copies-')), root);

engineContract({ name: 'engine elsewhere', code: 'elsewhere', make });

it('a path of the engine that reaches the host is found', async () => {
  const leaky = {
    given: async () => ({ deep: [join(root, 'x')] }),
    thrown: async () => Promise.reject(new Error(`cannot open ${root}/x`)),
  };
  for (const call of [withoutPath(leaky, root).given(), withoutPath(leaky, root).thrown()])
    await expect(call).rejects.toThrow('was given a path');
});
