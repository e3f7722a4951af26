import type { UnitSpec } from '../engine.ts';
import type { DockerFacts } from './facts.ts';

/** A service of the host for bots on the loopback of this machine, which containers do not reach. */
export interface LoopbackService {
  /** Addresses under which configs of bots name the service, e.g. `http://127.0.0.1:4747/feed`. */
  urls(): readonly string[];
  /**
   * Serves it at another address of this machine as well; resolves to the port, null if that is impossible. Never
   * rejects.
   */
  serveAt(address: string): Promise<number | null>;
}

/** Matches the address as a whole: `/feed`, `/feed/…` and `/feed?…`, but not the `/feedback` of another service. */
const wholly = (url: string): RegExp =>
  new RegExp(`${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?=$|[\\s/?#"'\\\\])`, 'g');

const CONFIGS = ['BOT_CONFIG', 'CONFIG'] as const;

/**
 * Returns a spec that names the service by an address which the container reaches: the gateway of its network, or in a
 * virtual machine the name that leads to this machine. Unchanged when the config does not name the service.
 */
export async function reachable(
  spec: UnitSpec,
  service: LoopbackService,
  facts: DockerFacts,
  gateway: () => Promise<string | null>,
): Promise<UnitSpec> {
  const named = service.urls().filter((url) => CONFIGS.some((name) => wholly(url).test(spec.env[name] ?? '')));
  if (named.length === 0 || spec.network === 'none') return spec;
  const address = facts.virtualMachine ? '127.0.0.1' : await gateway();
  const port = address === null ? null : await service.serveAt(address);
  if (address === null || port === null) return spec;
  const host = facts.virtualMachine ? 'host.docker.internal' : address;
  const env = { ...spec.env };
  for (const name of CONFIGS) {
    for (const url of named) {
      const inside = `http://${host}:${port}${new URL(url).pathname}`;
      env[name] = env[name]?.replace(wholly(url), () => inside) ?? '';
    }
  }
  return { ...spec, env };
}
