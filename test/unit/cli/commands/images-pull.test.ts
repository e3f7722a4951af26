import { describe, expect, it } from 'vitest';
import type { Arguments, Client, Context, Progress } from '../../../../src/cli/command.ts';
import { command } from '../../../../src/cli/commands/images-pull.ts';
import { createOutput } from '../../../../src/cli/output.ts';
import type { ImageInfo } from '../../../../src/contract/host.ts';

const IMAGE: ImageInfo = {
  runtime: 'python311',
  image: 'python:3.11',
  chosen: false,
  present: false,
  size_bytes: null,
  problem: null,
  pull: null,
};
const layer = (id: string, current: number, total: number | null) => ({ id, status: 'Downloading', current, total });

/** Runs the command against a host that gives these answers, one after the other; what is shown meanwhile. */
async function run(...answers: ImageInfo[]) {
  const shown: (readonly [string, number | null] | 'done')[] = [];
  const next = (): ImageInfo => answers.shift() ?? IMAGE;
  const call = async (name: string) =>
    name === 'images.list' ? { items: [{ ...IMAGE, runtime: 'gcc13' }, next()] } : next();
  const progress: Progress = {
    update: (label, fraction) => shown.push([label, fraction]),
    done: () => shown.push('done'),
  };
  const out = {
    ...createOutput({ json: true, env: {}, onClosed: () => undefined }),
    data: () => undefined,
    progress: () => progress,
  };
  const client = async () => ({ call }) as unknown as Client;
  const args: Pick<Arguments, 'positionals'> = { positionals: ['python3.11'] };
  const code = command.run({ out, client } as unknown as Context, args as Arguments);
  return { shown, code: await code };
}

describe('images pull', () => {
  it('shows how far it is until the host is done', async () => {
    const { shown, code } = await run(
      { ...IMAGE, pull: { text: 'looking into it', layers: [] } },
      { ...IMAGE, pull: { text: '1 of 4 MB, 0 of 2 layers', layers: [layer('a', 1, 4), layer('b', 0, null)] } },
      { ...IMAGE, present: true, size_bytes: 9 },
    );
    expect(code).toBe(0);
    expect(shown).toEqual([
      ['python:3.11: looking into it', null],
      ['python:3.11: 1 of 4 MB, 0 of 2 layers', 0.25],
      'done',
    ]);
  });

  it('ends with what went wrong', async () => {
    const problem = { message: 'no such image', hint: 'look at the name' };
    const looking = { text: 'looking into it', layers: [] };
    await expect(run({ ...IMAGE, pull: looking }, { ...IMAGE, problem })).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      ...problem,
    });
  });
});
