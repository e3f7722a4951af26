import type { BotNetwork, NetworkMode } from '../../../contract/network.ts';
import type { Confinement, NetworkUse } from '../engine/engine.ts';
import { loosestUse } from './loosens-network.ts';

/** The network of a bot for the programs that start from now on. */
interface Coming {
  readonly use: NetworkUse;
  readonly refusesEnforce: boolean;
}

const ADVISORY = 'Advisory: the program gets proxy settings, which it can ignore.';
const UNLED = 'The bot does not go through the gate: nothing is recorded and nothing refused.';
const PAST = 'The engine of this bot does not lead it through the gate: nothing is recorded and nothing refused';
const NO_START = 'The sandbox does not hold on this machine now, and no program of this bot starts until it does.';

const UNKNOWN =
  'The program was started by an earlier release: whether it goes through the gate is not known until its next start.';

const wordsOfGate = (mode: NetworkMode): string =>
  mode === 'enforce'
    ? 'The bot reaches the gate alone, which refuses what no permit allows.'
    : 'The bot reaches the gate alone, which records every connection and refuses none.';

/** Whether something led a program to the gate. */
type Led = boolean | 'unknown';

/** Of programs together: one that was not led counts first. */
function ledOf(running: readonly Confinement[]): Led {
  if (running.some(({ gatePort }) => gatePort === null)) return false;
  return running.some(({ gatePort }) => gatePort === 'unknown') ? 'unknown' : true;
}

/** Of a program that reaches the network of the machine. It gets settings for the gate at its start, or none. */
function wordsOfMachine(mode: NetworkMode, isLed: Led): string {
  if (isLed === 'unknown') return UNKNOWN;
  if (!isLed)
    return mode === 'open'
      ? UNLED
      : 'The program was started without the gate: nothing is recorded and nothing refused.';
  if (mode === 'enforce') return `The gate refuses what no permit allows. ${ADVISORY}`;
  const until = mode === 'open' ? ', until the next start: from then on the bot does not go through it' : '';
  return `The gate records what comes through it and refuses nothing${until}. ${ADVISORY}`;
}

function wordsOfUse(mode: NetworkMode, use: NetworkUse, isLed: Led): string {
  switch (use) {
    case 'none':
      return 'The bot has no network: there is nothing to record and nothing to refuse.';
    case 'own':
      return mode === 'open' ? `${PAST}.` : `${PAST}, although its mode is ${mode}.`;
    case 'gate':
      return wordsOfGate(mode);
    case 'machine':
      return wordsOfMachine(mode, isLed);
  }
}

/**
 * What mode and confinement of a bot come to. `running`: of its programs that run, by which it is judged while there are any. `coming`:
 * of one that would start now.
 */
export function networkWords(
  mode: NetworkMode,
  coming: Coming,
  running: readonly Confinement[],
): Pick<BotNetwork, 'is_enforced' | 'summary'> {
  const waits = mode === 'enforce' && coming.refusesEnforce ? [NO_START] : [];
  const [first, ...more] = running.map(({ network }) => network);
  if (first === undefined) {
    const words = wordsOfUse(mode, coming.use, mode !== 'open');
    return { is_enforced: coming.use === 'gate' && mode === 'enforce', summary: waits[0] ?? words };
  }
  const use = loosestUse(first, ...more);
  return {
    is_enforced: use === 'gate' && mode === 'enforce',
    summary: [wordsOfUse(mode, use, ledOf(running)), ...waits].join(' '),
  };
}
