import { resolve } from 'node:path';
import { createProcessEngine } from '../../src/main/host/engine/process/process-engine.ts';
import { Sandbox } from '../../src/main/host/engine/process/sandbox.ts';
import { LOCAL_PARTS } from '../support/units.ts';
import { engineContract } from './engine-contract.ts';

const folder = resolve(import.meta.dirname, '../../resources/sandbox');
engineContract({
  name: 'sandbox engine',
  code: 'links',
  make: () => createProcessEngine({ ...LOCAL_PARTS, sandbox: new Sandbox(folder) }),
});
