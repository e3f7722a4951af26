import { Readable } from 'node:stream';
import Docker from 'dockerode';
import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../../../../src/contract/errors.ts';
import type { DockerConnection } from '../../../../../../src/main/host/engine/docker/connection.ts';
import { Images } from '../../../../../../src/main/host/engine/docker/images.ts';
import { tempDir } from '../../../../../support/temp.ts';
import { until } from '../../../../../support/until.ts';

const RUNTIME = 'python311';

/** Images of an engine that has one or none, and answers pulls with these streams, one after the other. */
function setUp(present: boolean, pulls: readonly Readable[], asked: string[] = []) {
  const { modem } = new Docker({ socketPath: '/nowhere' });
  const left = [...pulls];
  const inspect = async () => {
    if (present) return { Id: 'sha256:1', Size: 1 };
    throw Object.assign(new Error('no such image'), { statusCode: 404 });
  };
  const getImage = (name: string) => {
    asked.push(name);
    return { inspect };
  };
  const docker = { getImage, modem, pull: async () => left.shift() };
  const connected = { docker };
  const connection = {
    get: async () => connected,
    call: (work: (it: unknown) => unknown) => work(connected),
    last: (work: (it: unknown) => unknown) => work(connected),
  };
  const setting = {
    connection: connection as unknown as DockerConnection,
    hostId: '',
    runnersDir: '',
    workDir: tempDir(),
  };
  return new Images(setting, {}, ({ interpreter, image }) => {
    if (interpreter === 'ruby') return image ?? 'ruby:3.4-slim';
    if (interpreter === 'awk') return null;
    throw new PlatformError('INTERPRETER_NOT_ALLOWED');
  });
}

const said = (...messages: object[]): Readable => Readable.from(messages.map((one) => `${JSON.stringify(one)}\n`));

describe('an image', () => {
  it('that is here and could not be fetched anew was not renewed', async () => {
    const images = setUp(true, [said({ error: 'unexpected EOF' })]);
    await images.startPull(RUNTIME);
    const problem = async () => (await images.list()).find((one) => one.runtime === RUNTIME)?.problem ?? null;
    await until('its problem', async () => (await problem()) !== null);
    expect(await problem()).toEqual({
      message: expect.stringContaining('could not be fetched: unexpected EOF'),
      hint: expect.stringContaining('It was not updated; bots keep using the local copy.'),
    });
  });

  it('that is gone as soon as it was fetched is tried again', async () => {
    await expect(setUp(false, [said({ status: 'done' })]).prepare(RUNTIME)).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      retryAfter: 30,
      hint: expect.stringContaining('platform images pull python311'),
    });
  });

  it('that is being fetched is told of at once, whoever asks', async () => {
    const pull = new Readable({ read: () => undefined });
    const images = setUp(false, [pull]);
    const told: string[] = [];
    const first = images.prepare(RUNTIME, (text) => told.push(`first ${text}`));
    await until('word of it', () => told.length > 0);
    const second = images.prepare(RUNTIME, (text) => told.push(`second ${text}`));
    expect(told.at(-1)).toMatch(/^second Getting python:3\.11-slim-bookworm: asking the registry$/);
    pull.push(null);
    await Promise.allSettled([first, second]);
  });
});

describe('the image of an interpreter that a package names', () => {
  it('is the one that goes with it, else that of the runtime', async () => {
    const asked: string[] = [];
    const images = setUp(false, [], asked);
    const ruby = { interpreter: 'ruby' };
    await expect(images.idOf('command', ruby)).rejects.toMatchObject({
      message: expect.stringContaining('ruby:3.4-slim'),
    });
    await expect(images.idOf('command', { interpreter: 'awk' })).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
    expect(asked).toEqual(['ruby:3.4-slim', 'debian:trixie-slim']);
    expect(images.isReady('command', ruby)).toBe(false);
  });

  it('is looked for, fetched and asked for by nobody where the interpreter is not allowed', async () => {
    const asked: string[] = [];
    const images = setUp(true, [], asked);
    const sh = { interpreter: 'sh', image: 'registry.attacker.example/sh' };
    const refused = { code: 'INTERPRETER_NOT_ALLOWED' };
    expect(() => images.isReady('command', sh)).toThrow(expect.objectContaining(refused));
    await expect(images.prepare('command', undefined, sh)).rejects.toMatchObject(refused);
    await expect(images.idOf('command', sh)).rejects.toMatchObject(refused);
    expect(asked).toEqual([]);
  });
});
