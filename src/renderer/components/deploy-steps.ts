import type { Bot } from '../../contract/bot.ts';
import type { Step } from './step.ts';

/** State of a deployment: before the host has answered, or with the new bot. */
export interface DeployState {
  readonly phase: 'idle' | 'publishing' | 'deploying' | 'starting';
  readonly bot: Pick<Bot, 'status' | 'reason' | 'type' | 'enabled'> | null;
}

const PREPARING = 'PREPARING';
const ENDED = ['failed', 'backing_off'];

/** Returns the result of a deployment; null while it goes on. A bot that was stopped on purpose counts as done. */
export function deployEnd({ phase, bot }: DeployState): 'done' | 'failed' | null {
  if (phase !== 'starting' || bot === null) return null;
  if (ENDED.includes(bot.status)) return 'failed';
  if (bot.status === 'starting' || bot.status === 'stopping') return null;
  return 'done';
}

/** A deployment step by step: the host's actions and reports. */
export function deploySteps(state: DeployState, withPublish: boolean): Step[] {
  const { phase, bot } = state;
  const isScheduled = bot?.type.startsWith('scheduled/') === true;
  const end = deployEnd(state);
  const prepares = bot?.reason?.code === PREPARING;
  const publish: Step = { label: 'Publish the sample', state: phase === 'publishing' ? 'going' : 'done' };
  const order = ['publishing', 'deploying', 'starting'].indexOf(phase);
  const store: Step = { label: 'Check and store', state: order < 1 ? 'waiting' : order === 1 ? 'going' : 'done' };
  const prepare: Step = {
    label: 'Get ready to run',
    state: order < 2 ? 'waiting' : prepares ? 'going' : 'done',
    note: prepares ? bot?.reason?.message : undefined,
  };
  const start: Step = {
    label: isScheduled ? 'Wait for its time' : 'Start',
    state: order < 2 || prepares ? 'waiting' : end === 'failed' ? 'failed' : end === 'done' ? 'done' : 'going',
    note: end === 'failed' ? bot?.reason?.message : undefined,
  };
  return [...(withPublish ? [publish] : []), store, prepare, start];
}
