import { useCallback, useRef, useState } from 'react';
import type { Bot } from '../../contract/bot.ts';
import type { Input } from '../../contract/operations.ts';
import { useHost } from './connection-and-user.ts';
import { useFleet } from './fleet.ts';
import { type HostError, toHostError } from './host-error.ts';

export type DeployRequest = Input<'bots.deploy'>;

/** Progress of a deployment, as this page sees it. */
export interface Deploying {
  readonly phase: 'idle' | 'publishing' | 'deploying' | 'starting';
  /** The new bot, from `starting` on, kept in line with its changes; null before. */
  readonly bot: Bot | null;
  readonly error: HostError | null;
}

const IDLE = { phase: 'idle', bot: null, error: null } as const;

/** Deploys a bot, or publishes a sample first, and follows it until it runs. */
export function useDeploy() {
  const { socket } = useHost();
  const [state, setState] = useState<Deploying>(IDLE);
  const going = useRef(false);
  const followed = useFleet((one) => (state.bot === null ? null : (one.bots?.get(state.bot.bot_id) ?? null)));
  const work = useCallback(
    async (steps: (phase: (phase: Deploying['phase']) => void) => Promise<DeployRequest>): Promise<void> => {
      if (going.current) return;
      going.current = true;
      try {
        const request = await steps((phase) => setState({ ...IDLE, phase }));
        setState({ ...IDLE, phase: 'deploying' });
        setState({ phase: 'starting', bot: await socket.call('bots.deploy', request), error: null });
      } catch (thrown) {
        setState((before) => ({ ...before, phase: 'idle', error: toHostError(thrown) }));
      } finally {
        going.current = false;
      }
    },
    [socket],
  );
  const deploy = useCallback((request: DeployRequest) => work(async () => request), [work]);
  const deploySample = useCallback(
    (name: string) =>
      work(async (phase) => {
        phase('publishing');
        return (await socket.call('samples.publish', { name })).instance;
      }),
    [socket, work],
  );
  const clear = useCallback(() => setState(IDLE), []);
  return { ...state, bot: followed ?? state.bot, deploy, deploySample, clear };
}
