import { expect, it } from 'vitest';
import { PlatformError } from '../../../../../src/contract/errors.ts';
import { UnitSpecs } from '../../../../../src/main/host/bots/unit-spec.ts';
import type { BotRow } from '../../../../../src/main/host/control/bot-store.ts';
import { Engines } from '../../../../../src/main/host/engine/engines.ts';
import { createProcessEngine } from '../../../../../src/main/host/engine/process/process-engine.ts';
import { Sandbox } from '../../../../../src/main/host/engine/process/sandbox.ts';
import { botRow } from '../../../../support/bot-row.ts';
import { HeldEngine } from '../../../../support/held-engine.ts';
import { LOCAL_PARTS } from '../../../../support/units.ts';

type UnitSpecsParts = ConstructorParameters<typeof UnitSpecs>[0];

function unitSpecs(more: Partial<UnitSpecsParts> = {}): UnitSpecs {
  const plain = createProcessEngine(LOCAL_PARTS);
  const sandboxed = createProcessEngine({ ...LOCAL_PARTS, sandbox: new Sandbox('/none') });
  const held = new HeldEngine(plain, 'held');
  held.networkUse = 'gate';
  const engines = new Engines([plain, sandboxed, held, new HeldEngine(plain, 'containers')], 'auto');
  const open = (): never => {
    throw new PlatformError('CUSTOM_BOT_NOT_FOUND');
  };
  return new UnitSpecs({ engines, codes: { open }, ...more } as Partial<UnitSpecsParts> as UnitSpecsParts);
}

it.each<[string, Partial<BotRow>, string, boolean?]>([
  ['a plain program', { engine: 'process' }, 'machine'],
  ['one in a sandbox that does not hold here', { engine: 'sandbox' }, 'machine', true],
  ['one in a sandbox that holds', { engine: 'held' }, 'gate'],
  ['one that has none there', { engine: 'sandbox', options: { network: 'none' } }, 'none'],
  ['a container', { engine: 'containers' }, 'own'],
  ['one whose engine is gone', { engine: 'gone' }, 'own'],
])('whose network a bot has: %s', (_, row, use, refusesEnforce = false) => {
  expect(unitSpecs().networked(botRow(row))).toEqual({ botId: 'bot_1', permits: null, use, refusesEnforce });
});

it.each(['process', 'sandbox', 'held', 'containers', 'gone'])(
  'masks the pass of a bot whatever its engine is, which may have changed: %s',
  (engine) => {
    const environment = async () => ({ env: {}, way: null });
    const networks = {
      pass: ({ use }: { readonly use: string }) => (use === 'machine' ? 'the pass' : null),
      environment,
    };
    const masking = unitSpecs({ networks });
    expect(masking.runSecrets(botRow({ engine, type: 'scheduled' }), ['secret'], 'run_1')).toEqual([
      'secret',
      'the pass',
    ]);
  },
);
