import { describe, expect, it } from 'vitest';
import type { DesktopHost } from '../../../../src/contract/desktop-bridge.ts';
import { PlatformError } from '../../../../src/contract/errors.ts';
import {
  HostSupervisor,
  type LiveHost,
  type OwnHost,
  restartWait,
} from '../../../../src/main/desktop/host-supervisor.ts';
import type { HostEnd } from '../../../../src/node/host-process.ts';
import { until } from '../../../support/until.ts';

class FakeHost implements OwnHost {
  readonly url = 'http://127.0.0.1:1';
  readonly token = 'local_x';
  killed = false;
  readonly #end = Promise.withResolvers<HostEnd>();
  readonly exited = this.#end.promise;
  readonly pid: number;

  constructor(pid: number) {
    this.pid = pid;
  }

  end(code: number, said = ''): void {
    this.#end.resolve({ code, signal: null, said });
  }

  kill(): void {
    this.killed = true;
    this.#end.resolve({ code: null, signal: 'SIGKILL', said: '' });
  }
}

/** A supervisor whose surroundings the test holds; no time passes but what the test lets pass. */
class Stage {
  found: LiveHost | null = null;
  /** What the next starts do; a start beyond them gives a host that runs. */
  starts: ((giveUp: AbortSignal) => Promise<OwnHost>)[] = [];
  readonly hosts: FakeHost[] = [];
  readonly states: DesktopHost[] = [];
  readonly waits: number[] = [];
  readonly stopped: boolean[] = [];
  stopWorks = true;
  now = 0;

  readonly supervisor = new HostSupervisor({
    find: () => Promise.resolve(this.found),
    start: (giveUp) => (this.starts.shift() ?? (() => Promise.resolve(this.host())))(giveUp),
    stop: (_, leaveBots) => {
      this.stopped.push(leaveBots);
      if (!this.stopWorks) return Promise.reject(new Error('no answer'));
      this.hosts.at(-1)?.end(0);
      return Promise.resolve();
    },
    changed: (state) => this.states.push(state),
    now: () => this.now,
    wait: (ms) => {
      this.waits.push(ms);
      this.now += ms;
      return new Promise((resolve) => setImmediate(resolve));
    },
    onError: () => undefined,
  });

  host(): FakeHost {
    const host = new FakeHost(100 + this.hosts.length);
    this.hosts.push(host);
    return host;
  }

  at(at: DesktopHost['at']): Promise<true> {
    return until(`the state ${at}`, () => this.supervisor.state.at === at, 5000);
  }
}

const failing = (code: 'INTERNAL' | 'HOST_RUNNING') => () =>
  Promise.reject(new PlatformError(code, 'no', { hint: 'do' }));
const ELSEWHERE = { url: 'http://127.0.0.1:2', token: 'local_y', pid: 7 };

describe('HostSupervisor', () => {
  it('joins a host that runs, and ends with the app without it', async () => {
    const stage = new Stage();
    stage.found = ELSEWHERE;
    await stage.supervisor.open();
    expect(stage.supervisor.state).toEqual({ at: 'running', own: false, pid: 7 });
    expect(await stage.supervisor.close(false)).toBe(false);
    expect([stage.stopped, stage.hosts]).toEqual([[], []]);
  });

  it('starts one where there is none, and stops it as it is told', async () => {
    const stage = new Stage();
    await stage.supervisor.open();
    expect(stage.supervisor.state).toEqual({ at: 'running', own: true, pid: 100 });
    expect(await stage.supervisor.close(true)).toBe(true);
    expect(stage.stopped).toEqual([true]);
    expect(stage.states.map(({ at }) => at)).toEqual(['starting', 'running']);
  });

  it('starts a host that died again, after waits that grow, and begins anew after a steady time', async () => {
    const stage = new Stage();
    await stage.supervisor.open();
    for (const expected of [500, 1000, 2000]) {
      const { pid } = stage.hosts.at(-1) ?? stage.host();
      stage.hosts.at(-1)?.end(9, 'first\nlast words\n');
      await until('another host', () => stage.supervisor.host !== null && stage.supervisor.host.pid !== pid, 5000);
      expect(stage.waits.at(-1)).toBe(expected);
    }
    const told = stage.states.filter((state) => state.at === 'restarting');
    expect(told.map(({ attempt, why }) => [attempt, why])).toEqual([
      [1, 'code 9, last words'],
      [2, 'code 9, last words'],
      [3, 'code 9, last words'],
    ]);
    stage.now += 60_000;
    stage.hosts.at(-1)?.end(9);
    await until('another host', () => stage.hosts.length === 5, 5000);
    expect(stage.waits.at(-1)).toBe(500);
    expect([restartWait(7), restartWait(30)]).toEqual([30_000, 30_000]);
  });

  it('gives up after five starts that fail, and tries again when asked', async () => {
    const stage = new Stage();
    await stage.supervisor.open();
    stage.starts = Array.from({ length: 5 }, () => failing('INTERNAL'));
    stage.hosts[0]?.end(1);
    await stage.at('failed');
    expect(stage.supervisor.state).toEqual({ at: 'failed', message: 'no', hint: 'do' });
    expect(stage.starts).toEqual([]);
    await stage.supervisor.open();
    expect(stage.supervisor.state.at).toBe('running');
  });

  it('shows at once why a first start failed', async () => {
    const stage = new Stage();
    stage.starts = [failing('INTERNAL')];
    await stage.supervisor.open();
    expect(stage.supervisor.state).toMatchObject({ at: 'failed', hint: 'do' });
    expect(stage.waits).toEqual([]);
  });

  it('does not start a host again that was stopped in order, unless asked', async () => {
    const stage = new Stage();
    await stage.supervisor.open();
    stage.hosts[0]?.end(0);
    await stage.at('stopped');
    expect(stage.hosts).toHaveLength(1);
    await stage.supervisor.open();
    expect(stage.supervisor.state).toMatchObject({ at: 'running', pid: 101 });
  });

  it('waits for a host that holds the folder and does not answer yet, and not without end', async () => {
    const stage = new Stage();
    stage.starts = [failing('HOST_RUNNING'), failing('HOST_RUNNING')];
    await stage.supervisor.open();
    expect(stage.supervisor.state).toMatchObject({ at: 'running', own: true });
    const other = new Stage();
    other.starts = Array.from({ length: 100 }, () => failing('HOST_RUNNING'));
    await other.supervisor.open();
    expect(other.supervisor.state.at).toBe('failed');
    expect(other.now).toBeLessThan(17_000);
  });

  it('looks for a host of somebody else until it is back, and starts none behind their back', async () => {
    const stage = new Stage();
    stage.found = ELSEWHERE;
    await stage.supervisor.open();
    stage.found = null;
    const looking = stage.supervisor.check();
    await stage.at('away');
    expect(stage.supervisor.host).toBeNull();
    stage.found = { ...ELSEWHERE, pid: 8 };
    await looking;
    expect(stage.supervisor.state).toEqual({ at: 'running', own: false, pid: 8 });
    stage.found = null;
    void stage.supervisor.check();
    await stage.at('away');
    await stage.supervisor.open();
    expect(stage.supervisor.state).toMatchObject({ at: 'running', own: true });
  });

  it('kills an own host only when it does not end, and says that it did not end in order', async () => {
    const stage = new Stage();
    await stage.supervisor.open();
    stage.stopWorks = false;
    expect(await stage.supervisor.close(false)).toBe(false);
    expect(stage.hosts[0]?.killed).toBe(true);
    expect(stage.waits).toEqual([60_000]);
  });

  it('ends a host that comes up while the app ends, and leaves its bots, about which nobody was asked', async () => {
    const stage = new Stage();
    const late = Promise.withResolvers<OwnHost>();
    stage.starts = [() => late.promise];
    const opening = stage.supervisor.open();
    await new Promise((resolve) => setImmediate(resolve));
    const closing = stage.supervisor.close(false);
    late.resolve(stage.host());
    await Promise.all([opening, closing]);
    expect(stage.stopped).toEqual([true]);
  });

  it('does not wait for ever for a start that hangs, and ends it', async () => {
    const stage = new Stage();
    let isGivenUp = false;
    stage.starts = [
      (giveUp) => {
        giveUp.addEventListener('abort', () => {
          isGivenUp = true;
        });
        return new Promise(() => undefined);
      },
    ];
    void stage.supervisor.open();
    await until('the start', () => stage.starts.length === 0, 5000);
    expect(await stage.supervisor.close(false)).toBe(false);
    expect([stage.waits, isGivenUp]).toEqual([[60_000], true]);
  });
});
