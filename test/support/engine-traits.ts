import type { IsolationLevel } from '../../src/contract/isolation.ts';
import type { EngineTraits } from '../../src/main/host/engine/engine.ts';

const SANDBOX: EngineTraits = {
  title: 'Sandboxed processes of a test',
  about: 'Each bot in a sandbox.',
  summary: 'A sandbox',
  remedy: null,
  options: ['network'],
  images: false,
};

/** What an engine of a test says of itself, by the isolation that it stands for. */
export const TRAITS: Readonly<Record<IsolationLevel, EngineTraits>> = {
  sandbox: SANDBOX,
  partial: SANDBOX,
  container: {
    title: 'Containers of a test',
    about: 'Each bot in a container.',
    summary: 'A container',
    remedy: 'Start Docker',
    options: ['cpus', 'tmp_mb', 'network'],
    images: true,
  },
  none: {
    title: 'Processes of a test',
    about: 'Each bot as a process.',
    summary: 'A process',
    remedy: null,
    options: [],
    images: false,
  },
};
