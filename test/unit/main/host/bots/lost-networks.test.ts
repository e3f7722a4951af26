import { expect, it } from 'vitest';
import { LostNetworks, needGate } from '../../../../../src/main/host/bots/lost-networks.ts';
import type { BotRow } from '../../../../../src/main/host/control/bot-store.ts';
import type { Confinement } from '../../../../../src/main/host/engine/engine.ts';
import { type BotToHold, botToHold, reopened } from '../../../../support/bot-to-hold.ts';

const HELD: Confinement = { level: 'sandbox', network: 'gate', gatePort: 4848 };
const LED: Confinement = { level: 'none', network: 'machine', gatePort: 4848 };
const UNLED: Confinement = { level: 'none', network: 'machine', gatePort: null };

const runOf = (confinement: Confinement, runId = 'run_1', query: Confinement | null = null) => ({
  ...{ botId: 'bot_1', run: { runId }, unit: { confinement } },
  query: query === null ? null : { confinement: query },
});
type Run = ReturnType<typeof runOf>;

/** The bot of a folder with what runs of it, on a host. */
function hostOn(folder: BotToHold, runs: readonly Run[]) {
  const errors: string[] = [];
  const lines: string[] = [];
  const onError = (where: string): void => void errors.push(where);
  const networks = new LostNetworks({
    ...{ bots: folder.bots, events: folder.events, now: () => 0, onError },
    journal: folder.host(() => 0, onError).journal,
    telemetry: { hostLine: (_, level, message) => void lines.push(`${level}: ${message}`) },
    liveRuns: () => runs,
    foundPort: () => 4848,
  });
  const told = () =>
    folder.events
      .list('bot_1', 100)
      .toReversed()
      .map(({ kind, run_id, reason }) => [kind, run_id, reason?.code, reason?.message, reason?.hint]);
  return { networks, errors, lines, told, find: (run: Run) => networks.watch(folder.bot(), run) };
}
const setup = (runs: readonly Run[], over: Partial<BotRow> = {}) => hostOn(botToHold(over), runs);

const MOVED = [
  ...['network_lost', 'run_1', 'GATE_MOVED', 'Its network is gone: the gate had to leave port 4848 (EADDRINUSE)'],
  'Its program does not find the gate again. Restart it: `platform bot restart bot_1`.',
];

it('tells a run once that the gate has left its port, why, and what to do', () => {
  const { networks, told, lines } = setup([runOf(HELD)]);
  networks.gateAt(4848, null);
  expect(told()).toEqual([]);
  networks.gateAt(4900, 'EADDRINUSE');
  networks.gateAt(4900, null);
  expect(told()).toEqual([MOVED]);
  expect(lines).toEqual([`warn: ${MOVED[3]}. ${MOVED[4]}`]);
});

it('tells a program that was given the way to the gate, and none that was not', () => {
  const led = setup([runOf(LED)]);
  led.networks.gateAt(4900, null);
  expect(led.told().map(([, , , message]) => message)).toEqual([
    'Its way to the gate is gone: the gate had to leave port 4848',
  ]);
  const unled = setup([runOf(UNLED), runOf({ ...UNLED, network: 'own' }), runOf({ ...UNLED, network: 'none' })]);
  unled.networks.gateAt(4900, null);
  unled.networks.gateGone(new Error('no memory'));
  expect(unled.told()).toEqual([]);
});

it('tells a run of which the query program alone has lost its network', () => {
  const { networks, told } = setup([runOf(UNLED, 'run_1', HELD)]);
  networks.gateAt(4900, 'EADDRINUSE');
  expect(told()).toEqual([MOVED]);
});

it('says of a scheduled bot that its next run finds the gate', () => {
  const { networks, told } = setup([runOf(HELD)], { type: 'scheduled' });
  networks.gateAt(4900, null);
  expect(told()[0]?.[4]).toContain('Its next run finds the gate');
});

it('tells a run that the gate is gone, and that it is back where the run looks for it', () => {
  const { networks, told } = setup([runOf(HELD)]);
  networks.gateAt(4848, null);
  networks.gateGone(new Error('no memory'));
  networks.gateGone(new Error('no memory'));
  networks.gateAt(4848, null);
  networks.gateAt(4848, null);
  networks.gateGone(new Error('no memory'));
  expect(told()).toEqual([
    [
      ...['network_lost', 'run_1', 'GATE_GONE'],
      'Its network is gone: the gate has ended and cannot be started (no memory)',
      expect.stringContaining('The host tries again'),
    ],
    ['network_back', 'run_1', 'GATE_BACK', 'Its network is back: the gate runs again', null],
    expect.arrayContaining(['GATE_GONE']),
  ]);
});

it('tells each of two runs of a bot once, however often the gate cannot be started, and that it is back', () => {
  const { networks, told } = setup([runOf(HELD), runOf(HELD, 'run_2')]);
  networks.gateAt(4848, null);
  for (let attempt = 0; attempt < 5; attempt += 1) networks.gateGone(new Error('no memory'));
  networks.lookAtAll();
  networks.gateAt(4848, null);
  networks.lookAtAll();
  expect(told().map(([kind, runId]) => [kind, runId])).toEqual([
    ['network_lost', 'run_1'],
    ['network_lost', 'run_2'],
    ['network_back', 'run_1'],
    ['network_back', 'run_2'],
  ]);
});

it('knows of each run that it finds again what an earlier host had told it', () => {
  const folder = botToHold();
  const [one, two] = [runOf(HELD), runOf(HELD, 'run_2')];
  hostOn(folder, [one, two]).networks.gateGone(new Error('no memory'));
  const next = hostOn(reopened(folder), [runOf(HELD), runOf(HELD, 'run_2'), runOf(HELD, 'run_3')]);
  next.networks.gateGone(new Error('no memory'));
  next.networks.gateAt(4848, null);
  expect(next.told().map(([kind, runId]) => [kind, runId])).toEqual([
    ['network_lost', 'run_1'],
    ['network_lost', 'run_2'],
    ['network_lost', 'run_3'],
    ['network_back', 'run_1'],
    ['network_back', 'run_2'],
    ['network_back', 'run_3'],
  ]);
});

it('reads nothing of a run that it has told', () => {
  const folder = botToHold();
  let reads = 0;
  const { networkOf } = folder.events;
  folder.events.networkOf = (...of) => {
    reads += 1;
    return networkOf(...of);
  };
  const { networks, told } = hostOn(folder, [runOf(HELD)]);
  for (let turn = 0; turn < 3; turn += 1) {
    networks.gateAt(4848, null);
    networks.gateGone(new Error('no memory'));
  }
  expect([reads, told().length]).toEqual([1, 5]);
});

it('tells a run that is found again what an earlier host had not told it, and nothing twice', () => {
  const folder = botToHold();
  const first = hostOn(folder, []);
  first.networks.gateAt(4900, null);
  first.find(runOf(HELD));
  const next = hostOn(reopened(folder), [runOf(HELD)]);
  next.networks.gateAt(4900, null);
  next.find(runOf(HELD));
  // Another run has its own.
  next.find(runOf(HELD, 'run_2'));
  next.find(runOf({ ...HELD, gatePort: 4900 }, 'run_3'));
  expect(next.told().map(([kind, runId]) => [kind, runId])).toEqual([
    ['network_lost', 'run_1'],
    ['network_lost', 'run_2'],
  ]);
  expect([first.errors, next.errors]).toEqual([[], []]);
});

it('ends neither gate nor start where the disk is full, and tells once there is space', () => {
  const folder = botToHold();
  const { networks, errors, told } = hostOn(folder, [runOf(HELD)]);
  folder.disk.isFull = true;
  networks.gateAt(4900, 'EADDRINUSE');
  expect(errors).toEqual(['the network of bot_1']);
  folder.disk.isFull = false;
  networks.lookAtAll();
  networks.lookAtAll();
  expect(told()).toEqual([MOVED]);
});

const UNKNOWN: Confinement = { level: 'sandbox', network: 'machine', gatePort: 'unknown' };

it('takes what an earlier release started in the sandbox for a program that looks where the gate was then', () => {
  const { networks, told } = setup([
    ...[
      runOf(UNKNOWN),
      runOf({ ...UNKNOWN, level: 'partial' }, 'run_2'),
      runOf({ ...UNKNOWN, level: 'none' }, 'run_3'),
    ],
  ]);
  networks.gateAt(4848, null);
  expect(told()).toEqual([]);
  networks.gateAt(4900, 'EADDRINUSE');
  expect(told().map(([kind, runId, code]) => [kind, runId, code])).toEqual([['network_lost', 'run_1', 'GATE_MOVED']]);
  const without = setup([runOf(UNKNOWN)], { options: { network: 'none' } });
  without.networks.gateAt(4900, 'EADDRINUSE');
  expect(without.told()).toEqual([]);
});

it('has a gate for every program that may look for it', () => {
  const needed = (held: Confinement): boolean => needGate([runOf(held)]);
  expect([HELD, LED, UNKNOWN, { ...UNKNOWN, level: 'partial' } as const].map(needed)).toEqual([true, true, true, true]);
  expect([UNLED, { ...UNKNOWN, level: 'none' } as const].map(needed)).toEqual([false, false]);
});
