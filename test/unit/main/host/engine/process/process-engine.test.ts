import { describe, expect, it } from 'vitest';
import type { SandboxTrial } from '../../../../../../src/contract/sandbox-trial.ts';
import { isLasting } from '../../../../../../src/main/host/bots/reasons.ts';
import type { UnitSpec } from '../../../../../../src/main/host/engine/engine.ts';
import { createProcessEngine } from '../../../../../../src/main/host/engine/process/process-engine.ts';
import {
  Sandbox,
  type SandboxedCommand,
  type SandboxedProgram,
} from '../../../../../../src/main/host/engine/process/sandbox.ts';
import { tempDir } from '../../../../../support/temp.ts';
import { LOCAL_PARTS, unitSpec } from '../../../../../support/units.ts';

/** A sandbox of which a trial finds `network`; it starts nothing, and says with which network it would have. */
class TriedSandbox extends Sandbox {
  network: string | null = 'a local port can be reached';
  files: string | null = null;
  readonly started: SandboxedProgram['network'][] = [];

  override async trial(): Promise<SandboxTrial> {
    return { files: this.files, network: this.network, sockets: null, programs: null, limits: null };
  }

  override wrap({ network }: SandboxedProgram): SandboxedCommand {
    this.started.push(network);
    throw new Error('far enough');
  }
}

const WAY = { port: 9, identity: 'bot_1-x' };

async function startIn(sandbox: TriedSandbox, mode: string, more: Partial<UnitSpec>): Promise<unknown> {
  const engine = createProcessEngine({
    ...LOCAL_PARTS,
    sandbox,
    way: async () => WAY,
    enforces: () => mode === 'enforce',
  });
  const spec = unitSpec(tempDir(), 'succeed.sh', more);
  return engine.start(spec, () => undefined).catch((error: unknown) => error);
}

describe.runIf(process.platform === 'linux')('where a trial finds the network of the sandbox open', () => {
  it.each([
    ['realtime', { botType: 'realtime' }],
    ['scheduled', { botType: 'scheduled' }],
    ['query', { botType: 'scheduled', role: 'query', queryRun: true }],
  ] as const)('no %s program of a bot in enforce starts, until another trial finds it held', async (_, more) => {
    const sandbox = new TriedSandbox('/none');
    const refused = await startIn(sandbox, 'enforce', more);
    expect(refused).toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: 'The sandbox does not hold the network here: a local port can be reached',
      retryAfter: 10,
      hint: expect.stringContaining('--mode observe'),
    });
    expect(isLasting(refused)).toBe(false);
    expect(sandbox.started).toEqual([]);
    sandbox.network = null;
    await startIn(sandbox, 'enforce', more);
    expect(sandbox.started).toEqual([WAY]);
  });

  it('a bot in observe has the network of the machine', async () => {
    const sandbox = new TriedSandbox('/none');
    await startIn(sandbox, 'observe', {});
    expect(sandbox.started).toEqual(['open']);
  });

  it('a bot that is to have no network waits for another trial', async () => {
    const refused = await startIn(new TriedSandbox('/none'), 'observe', { network: 'none' });
    expect(refused).toMatchObject({ code: 'ENGINE_UNAVAILABLE', retryAfter: 10 });
  });

  it('a bot waits for another trial where one lets it read files, and no plain process does', async () => {
    const sandbox = new TriedSandbox('/none');
    sandbox.files = 'a file can be read';
    const refused = await startIn(sandbox, 'observe', {});
    expect(refused).toMatchObject({ code: 'ENGINE_UNAVAILABLE', retryAfter: 10 });
    const plain = createProcessEngine({ ...LOCAL_PARTS, runnersDir: '/none' });
    const spec = unitSpec(tempDir(), 'succeed.sh', {});
    await expect(plain.start(spec, () => undefined)).rejects.toMatchObject({ retryAfter: undefined });
  });
});
