import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AllowedInterpreters, type StoredInterpreter } from '../../../src/main/host/engine/allowed-interpreters.ts';
import type { DockerEngine } from '../../../src/main/host/engine/docker/docker-engine.ts';
import { dockerForTests } from '../../support/docker.ts';
import { dockerEngine, newHostId } from '../../support/docker-engine.ts';
import { tempDir } from '../../support/temp.ts';
import { output, unitSpec } from '../../support/units.ts';
import { begin } from '../engine-contract.ts';

const found = await dockerForTests();

async function engineWith(stored: Readonly<Record<string, StoredInterpreter>>): Promise<DockerEngine> {
  const list = new AllowedInterpreters({ stored, closed: [], searchPath: '', save: async () => undefined });
  const address = 'host' in found ? found.host : '';
  const { engine } = dockerEngine(address, newHostId(), { imageOfNamed: (command) => list.imageOf(command) });
  onTestFinished(() => engine.close());
  await engine.probe();
  return engine;
}

function codeOf(script: string): string {
  const dir = join(tempDir('named-in-docker-'), 'code');
  mkdirSync(dir);
  writeFileSync(join(dir, 'bot.sh'), script);
  // A container looks for no program here.
  writeFileSync(join(dir, 'sh'), '#!/bin/sh\necho planted\n', { mode: 0o755 });
  return dir;
}

describe.skipIf('reason' in found)('an interpreter that a package names, in a container', () => {
  it('is the one of the image, with the arguments of the package', async () => {
    const engine = await engineWith({ sh: {} });
    const command = { interpreter: 'sh', arguments: ['-u'] };
    await engine.prepare('command', undefined, command);
    const codeDir = codeOf('echo "$BOT_ID $- $0"\necho "$not_set"\n');
    const { unit } = await begin(engine, unitSpec(tempDir(), 'bot.sh', { runtime: 'command', command, codeDir }));
    expect((await unit.exited).exitCode).not.toBe(0);
    expect(output(unit)).toMatch(/^bot_1 \S*u\S* \.\/bot\.sh\n$/);
    expect(output(unit, 'stderr')).toContain('not_set');
  });

  it('that the image lacks is told of, and one that nobody allows starts nothing', async () => {
    const engine = await engineWith({ 'no-such-program': {}, sh: { image: 'debian:trixie-slim' } });
    await expect(engine.prepare('command', undefined, { interpreter: 'no-such-program' })).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringContaining('it has no no-such-program'),
    });
    for (const command of [{ interpreter: 'bash' }, { interpreter: 'sh', image: 'python:3.11-slim-bookworm' }]) {
      const spec = unitSpec(tempDir(), 'bot.sh', { runtime: 'command', command, codeDir: codeOf('echo\n') });
      await expect(engine.start(spec, () => undefined)).rejects.toMatchObject({ code: 'INTERPRETER_NOT_ALLOWED' });
    }
  });
});
