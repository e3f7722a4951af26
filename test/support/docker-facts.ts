import type { DockerFacts } from '../../src/main/host/engine/docker/facts.ts';

/** A usual Docker on Linux, with a host that runs as root. */
export const FACTS: DockerFacts = {
  id: 'engine-1',
  product: 'Docker 28.2.2',
  rootless: false,
  virtualMachine: false,
  user: { uid: 65_534, gid: 65_534, handOver: true },
  userNamespaces: false,
  seccomp: true,
  limits: { memory: true, cpu: true, processes: true },
};
