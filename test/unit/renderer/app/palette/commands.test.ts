import { describe, expect, it } from 'vitest';
import { PAGES } from '../../../../../src/renderer/app/navigation-pages.ts';
import { commandsOf, find, type Known } from '../../../../../src/renderer/app/palette/commands.ts';
import { indexOfId, moved } from '../../../../../src/renderer/components/finder-selection.ts';

const bot = (name: string, status: Known['bots'][number]['status'], type = 'realtime/sma', enabled = true) => ({
  bot_id: `bot_${name}`,
  name,
  type,
  status,
  health: { state: 'ok' as const, failures: 0, reason: null },
  enabled,
  arming: null,
});
const known = (more: Partial<Known> = {}): Known => ({
  bots: [
    bot('stopped one', 'stopped', 'realtime/sma', false),
    bot('runs', 'running'),
    bot('failing', 'failed'),
    bot('nightly', 'scheduled', 'scheduled/report'),
  ],
  pages: [
    { path: '/', label: 'Fleet', key: 'f' },
    { path: '/settings', label: 'Settings', key: 's' },
  ],
  mayChange: true,
  ...more,
});
const words = (more: Partial<Known> = {}): string[] => commandsOf(known(more)).map(({ label }) => label);
const found = (typed: string): string[] => find(commandsOf(known()), typed).map(({ command }) => command.label);

describe('commands', () => {
  it('name each bot, those that need somebody first', () => {
    expect(words().slice(0, 4)).toEqual(['failing', 'runs', 'nightly', 'stopped one']);
  });

  it('offer for a bot what it can do now', () => {
    const all = words();
    expect(all).toEqual(expect.arrayContaining(['Start stopped one', 'Stop runs', 'Restart runs', 'Run now nightly']));
    for (const not of ['Stop stopped one', 'Start runs', 'Restart failing', 'Restart nightly', 'Run now runs']) {
      expect(all).not.toContain(not);
    }
  });

  it('say of an armed bot that it is live, also where they act on it', () => {
    const arming = { state: 'armed' } as NonNullable<Known['bots'][number]['arming']>;
    const all = words({ bots: [{ ...bot('runs', 'running'), arming }] });
    expect(all).toEqual(expect.arrayContaining(['LIVE runs', 'Stop LIVE runs', 'Restart LIVE runs']));
  });

  it('change nothing for who may only read', () => {
    const all = words({ mayChange: false });
    expect(all).toContain('runs');
    expect(all.join()).not.toMatch(/Stop|Start|Restart|Deploy/);
  });

  it('lead to each page, with its keys', () => {
    const fleet = commandsOf(known()).find(({ label }) => label === 'Fleet');
    expect(fleet).toMatchObject({ note: 'g f', does: { kind: 'go', path: '/' } });
  });

  it('lead to every place of the dashboard, each with a key of its own that the shortcuts know', () => {
    const commands = commandsOf(known({ pages: PAGES }));
    for (const { path, key } of PAGES) {
      expect(commands.filter(({ id }) => id === `go ${path}`)).toMatchObject([{ note: `g ${key}` }]);
    }
    expect(new Set(PAGES.map(({ key }) => key)).size).toBe(PAGES.length);
  });

  it('have ids of their own', () => {
    const ids = commandsOf(known()).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('find', () => {
  it('shows bots and pages before anything is typed, without what is done to bots', () => {
    expect(found('')).toEqual(['failing', 'runs', 'nightly', 'stopped one', 'Fleet', 'Settings', 'Keyboard shortcuts']);
  });

  it('shows few of many bots at once, and all that fit what is typed', () => {
    const bots = Array.from({ length: 30 }, (_, index) => bot(`bot ${index}`, 'running'));
    const commands = commandsOf(known({ bots }));
    expect(find(commands, '').filter(({ command }) => command.group === 'Bots')).toHaveLength(6);
    expect(find(commands, 'bot 2').length).toBeGreaterThan(10);
  });

  it('finds an action on a bot by both their words', () => {
    expect(found('stop runs')[0]).toBe('Stop runs');
    expect(found('runs stop')[0]).toBe('Stop runs');
    expect(found('report')).toContain('nightly');
    expect(found('night')).toEqual(expect.arrayContaining(['nightly', 'Theme: dark']));
  });

  it('finds nothing for what is not there', () => {
    expect(found('qqq')).toEqual([]);
  });
});

describe('moved', () => {
  it.each([
    ['ArrowDown', 2, 0],
    ['ArrowUp', 0, 2],
    ['ArrowDown', 0, 1],
    ['Home', 2, 0],
    ['End', 0, 2],
    ['a', 1, null],
  ])('%s from %i leads to %s', (key, at, to) => {
    expect(moved(key, at, 3)).toBe(to);
  });
  it('goes nowhere without rows', () => {
    expect(moved('ArrowDown', 0, 0)).toBeNull();
  });
});

describe('what was chosen', () => {
  const all = (more: Partial<Known> = {}) => find(commandsOf(known(more)), '').map(({ command }) => command.id);
  it('is the first before anything is', () => {
    expect(indexOfId(all(), null)).toBe(0);
    expect(indexOfId([], null)).toBe(0);
  });

  it('stays the same bot wherever it stands', () => {
    const before = all();
    const id = before[1] ?? '';
    const after = all({ bots: [bot('broken', 'failed'), ...known().bots] });
    expect(indexOfId(after, id)).not.toBe(indexOfId(before, id));
    expect(after[indexOfId(after, id)]).toBe(id);
  });
});
