import type { UnitSpec } from '../engine.ts';
import type { DockerFacts } from './facts.ts';

/** Something that the host serves to bots on the loopback of this machine, where containers do not reach it. */
export interface LoopbackService {
  /** How configs of bots name it, e.g. `http://127.0.0.1:4747/feed`. */
  urls(): readonly string[];
  /** Serves it at another address of this machine as well; the port, or null where that is impossible. Never rejects. */
  serveAt(address: string): Promise<number | null>;
}

/** The address as a whole: `/feed`, `/feed/…` and `/feed?…`, and not the `/feedback` of another service. */
const wholly = (url: string): RegExp =>
  new RegExp(`${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?=$|[\\s/?#"'\\\\])`, 'g');

const CONFIGS = ['BOT_CONFIG', 'CONFIG'] as const;

/**
 * A spec in which the service is named by an address that the container reaches: the gateway of its network, or in a
 * virtual machine the name that leads to this machine. Unchanged when the config does not name it.
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
