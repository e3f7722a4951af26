import { engineForNew } from '../bots/engine-choice.ts';
import type { Isolation } from '../bots/isolation.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { sweepTrials, Trials } from '../catalog/trials.ts';
import type { AllowedInterpreters } from '../engine/allowed-interpreters.ts';
import type { Engines } from '../engine/engines.ts';
import type { HostFlags } from './flags.ts';
import { commandLine } from './platform-command.ts';
import { resourcesDir } from './product-resources.ts';

/** Settings and services from which trials are built. */
interface TrialParts {
  readonly dataDir: string;
  readonly flags: Pick<HostFlags, 'dockerHost' | 'images'>;
  readonly engines: Engines;
  readonly isolation: Isolation;
  readonly interpreters: Pick<AllowedInterpreters, 'stored'>;
  readonly catalog: Pick<Catalog, 'get' | 'open'>;
  readonly onError: (where: string, error: unknown) => void;
  readonly shutdown: { add(step: () => Promise<void>): void };
}

/** Trials of custom bots, which run as a new bot would. They are ended at shutdown. */
export async function buildTrials({
  flags,
  engines,
  isolation,
  interpreters,
  catalog,
  ...p
}: TrialParts): Promise<Trials> {
  await sweepTrials(p.dataDir);
  const trials = new Trials({
    dataDir: p.dataDir,
    command: commandLine(),
    async engine() {
      const name = await engineForNew(engines, {});
      isolation.checkNew(name);
      return name;
    },
    engineSettings: () => ({
      images: flags.images,
      interpreters: interpreters.stored(),
      ...(flags.dockerHost === null ? {} : { docker_host: flags.dockerHost }),
    }),
    codeDir: (userId, name, version) => catalog.open(userId, name, catalog.get(userId, name, version).version).codeDir,
    hidden: [resourcesDir],
    onError: p.onError,
  });
  p.shutdown.add(() => trials.close());
  return trials;
}
