import { Readable } from 'node:stream';
import Docker from 'dockerode';
import { describe, expect, it } from 'vitest';
import type { DockerConnection } from '../../../../../../src/main/host/engine/docker/connection.ts';
import { PullState, pullImage, pullText } from '../../../../../../src/main/host/engine/docker/image-pull.ts';

const MB = 1_000_000;

function told(...messages: Parameters<PullState['note']>[0][]): PullState {
  const state = new PullState();
  for (const message of messages) state.note(message);
  return state;
}

const downloading = (id: string, current: number, total?: number) => ({
  id,
  status: 'Downloading',
  progressDetail: { current, ...(total === undefined ? {} : { total }) },
});

describe('how far a pull has come', () => {
  it('is nothing before the registry has told of a layer', () => {
    expect(pullText(told())).toBe('asking the registry');
    const state = told({ id: 'latest', status: 'Pulling from library/python' }, { status: 'Digest: sha256:1' });
    expect(state.layers).toEqual([]);
    expect(pullText(state)).toBe('asking the registry');
  });

  it('adds the layers up', () => {
    const state = told(
      { id: 'a', status: 'Pulling fs layer' },
      { id: 'b', status: 'Waiting' },
      { id: 'c', status: 'Already exists' },
      downloading('a', 12 * MB, 45 * MB),
    );
    expect(pullText(state)).toBe('12 of 45 MB, 1 of 3 layers');
    state.note(downloading('b', 0.25 * MB, 0.5 * MB));
    expect(pullText(state)).toBe('12 of 46 MB, 1 of 3 layers');
  });

  it('stays at the whole layer while it is unpacked, whose own figures count something else', () => {
    const state = told(
      downloading('a', 5 * MB, 5 * MB),
      { id: 'a', status: 'Verifying Checksum' },
      { id: 'a', status: 'Download complete' },
      { id: 'a', status: 'Extracting', progressDetail: { current: 10, total: 99 * MB } },
    );
    expect(state.layers).toEqual([{ id: 'a', status: 'Extracting', current: 5 * MB, total: 5 * MB }]);
    expect(pullText(state)).toBe('5.0 of 5.0 MB, 0 of 1 layers');
    state.note({ id: 'a', status: 'Pull complete', progressDetail: {} });
    expect(pullText(state)).toBe('5.0 of 5.0 MB, 1 of 1 layers');
  });

  it('counts a layer that was never seen on its way as whole', () => {
    const state = told(downloading('a', 1 * MB, 3 * MB), { id: 'a', status: 'Pull complete' });
    expect(state.layers).toEqual([{ id: 'a', status: 'Pull complete', current: 3 * MB, total: 3 * MB }]);
  });

  it('begins again with a layer that is fetched once more', () => {
    const state = told(
      downloading('a', 2 * MB, 3 * MB),
      { id: 'a', status: 'Retrying in 5 seconds' },
      downloading('a', 0.1 * MB, 3 * MB),
    );
    expect(pullText(state)).toBe('0.1 of 3.0 MB, 0 of 1 layers');
  });

  it('has no bytes where no total is known', () => {
    expect(pullText(told(downloading('a', 77), { id: 'b', status: 'Pull complete' }))).toBe('1 of 2 layers');
  });
});

describe('a pull that the engine answers', () => {
  /** An engine whose answer to a pull is these messages. */
  function answering(...messages: object[]): DockerConnection {
    const { modem } = new Docker({ socketPath: '/nowhere' });
    const pull = async () => Readable.from(messages.map((message) => `${JSON.stringify(message)}\r\n`));
    const call = (work: (connected: unknown) => unknown) => work({ docker: { pull, modem } });
    return { call, last: call } as unknown as DockerConnection;
  }
  const layer = { id: 'a', status: 'Downloading', progressDetail: { current: 1, total: 3 } };
  const pulled = (...messages: object[]) => pullImage(answering(...messages), 'python:3', 'python311', () => undefined);

  it('is done when it ends well', async () => {
    await expect(pulled(layer, { status: 'Status: Downloaded newer image' })).resolves.toBeUndefined();
  });

  it.each([
    ['as text', { error: 'unexpected EOF' }],
    ['as detail', { errorDetail: { message: 'unexpected EOF' } }],
    ['as both', { errorDetail: { message: 'unexpected EOF' }, error: 'unexpected EOF of the text' }],
  ])('has failed when it says so in between: %s', async (_, message) => {
    await expect(pulled(layer, message)).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: 'The image python:3, in which python311 bots run, could not be fetched: unexpected EOF',
      retryAfter: 60,
    });
  });
});
