import { describe, expect, it } from 'vitest';
import {
  type LoopbackService,
  reachable,
} from '../../../../../../src/main/host/engine/docker/reach-loopback-service.ts';
import type { UnitSpec } from '../../../../../../src/main/host/engine/engine.ts';
import { FACTS } from '../../../../../support/docker-facts.ts';
import { tempDir } from '../../../../../support/temp.ts';
import { unitSpec } from '../../../../../support/units.ts';

const URLS = ['http://127.0.0.1:4747/feed', 'http://localhost:4747/feed'];
const GATEWAY = '172.18.0.1';

function service(port: number | null = 14_747) {
  const served: string[] = [];
  const it: LoopbackService = {
    urls: () => URLS,
    serveAt: async (address) => {
      served.push(address);
      return port;
    },
  };
  return { it, served };
}

function specWith(config: object, over: Partial<UnitSpec> = {}): UnitSpec {
  const text = JSON.stringify(config);
  const spec = unitSpec(tempDir(), 'bot', { botType: 'realtime', ...over });
  return { ...spec, env: { ...spec.env, BOT_CONFIG: text, CONFIG: text } };
}

const gateway = async (): Promise<string | null> => GATEWAY;

describe('a service of the host that a config names', () => {
  it('is named by the gateway of the network, in every place', async () => {
    const { it: feed, served } = service();
    const spec = specWith({ base_url: URLS[0], more: { fallback: `${URLS[1]}/quotes?a=1` } });
    const { env } = await reachable(spec, feed, FACTS, gateway);
    expect(served).toEqual([GATEWAY]);
    const inside = `http://${GATEWAY}:14747/feed`;
    const text = JSON.stringify({ base_url: inside, more: { fallback: `${inside}/quotes?a=1` } });
    expect(env).toEqual({ ...spec.env, BOT_CONFIG: text, CONFIG: text });
  });

  it('is told from others whose names begin like its own', async () => {
    const { it: feed, served } = service();
    const others = { a: `${URLS[0]}back`, b: `${URLS[1]}-2/x`, c: `${URLS[0]}.json` };
    const spec = specWith(others);
    expect(await reachable(spec, feed, FACTS, gateway)).toEqual(spec);
    expect(served).toEqual([]);
    const { env } = await reachable(specWith({ ...others, text: `${URLS[0]} "${URLS[0]}"` }), feed, FACTS, gateway);
    const inside = `http://${GATEWAY}:14747/feed`;
    expect(env.BOT_CONFIG).toBe(JSON.stringify({ ...others, text: `${inside} "${inside}"` }));
  });

  it('is named by the name that leads out of a virtual machine', async () => {
    const { it: feed, served } = service(4747);
    const far = { ...FACTS, virtualMachine: true };
    const { env } = await reachable(specWith({ base_url: URLS[0] }), feed, far, gateway);
    expect(served).toEqual(['127.0.0.1']);
    expect(env.BOT_CONFIG).toBe('{"base_url":"http://host.docker.internal:4747/feed"}');
  });

  it.each([
    ['no config names it', specWith({ base_url: 'http://127.0.0.1:4746/feed' }), service(), gateway],
    ['the bot has no network', specWith({ base_url: URLS[0] }, { network: 'none' }), service(), gateway],
    ['the network has no gateway', specWith({ base_url: URLS[0] }), service(), async () => null],
    ['the gateway is no address here', specWith({ base_url: URLS[0] }), service(null), gateway],
  ])('is left as it is where %s', async (_, spec, { it: feed }, asked) => {
    expect(await reachable(spec, feed, FACTS, asked)).toEqual(spec);
  });

  it('is not served for bots that do not ask for it', async () => {
    const { it: feed, served } = service();
    await reachable(specWith({}), feed, FACTS, gateway);
    await reachable(specWith({ base_url: URLS[0] }, { network: 'none' }), feed, FACTS, gateway);
    expect(served).toEqual([]);
  });
});
