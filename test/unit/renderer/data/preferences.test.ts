import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_PREFERENCES, MUTED_MAX } from '../../../../src/contract/preference-choices.ts';
import type { Preferences } from '../../../../src/contract/preferences.ts';
import { HostError } from '../../../../src/renderer/data/host-error.ts';
import { muteBot, PreferenceSync, usePreferences } from '../../../../src/renderer/data/preferences.ts';
import type { Link } from '../../../../src/renderer/data/socket.ts';

type Client = ConstructorParameters<typeof PreferenceSync>[0];

/** A host with the choices of one user, and a connection that can be lost. */
class Fake {
  stored: Preferences = { ...DEFAULT_PREFERENCES, theme: 'dark' };
  shown: Preferences = DEFAULT_PREFERENCES;
  readonly sent: object[] = [];
  readonly failures: unknown[] = [];
  link: Link = 'open';
  refuses: Error | null = null;
  readonly #listeners = new Set<(link: Link) => void>();

  sync(): PreferenceSync {
    const client: Client = {
      link: this.link,
      onLink: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
      read: (async () => {
        if (this.link !== 'open') throw HostError.away();
        return this.stored;
      }) as Client['read'],
      call: (async (_name: string, input: object) => {
        if (this.link !== 'open') throw HostError.away();
        if (this.refuses !== null) throw this.refuses;
        this.sent.push(input);
        this.stored = { ...this.stored, ...input };
        return this.stored;
      }) as Client['call'],
    };
    return new PreferenceSync(
      client,
      (change) => {
        this.shown = { ...this.shown, ...change };
      },
      (thrown) => this.failures.push(thrown),
    );
  }

  set(link: Link): void {
    this.link = link;
    for (const listener of this.#listeners) listener(link);
  }
}

let host: Fake;
beforeEach(() => {
  host = new Fake();
});

describe('the choices of a person', () => {
  it('are those of the host, and go there at once', async () => {
    const sync = host.sync();
    sync.start();
    await vi.waitFor(() => expect(host.shown.theme).toBe('dark'));
    sync.change({ zone: 'UTC' });
    expect(host.shown.zone).toBe('UTC');
    await vi.waitFor(() => expect(host.stored.zone).toBe('UTC'));
    expect(host.sent).toEqual([{ zone: 'UTC' }]);
  });

  it('wait for a host that is away, and win over what it knew', async () => {
    const sync = host.sync();
    sync.start();
    await vi.waitFor(() => expect(host.shown.theme).toBe('dark'));
    host.set('lost');
    sync.change({ theme: 'light' });
    sync.change({ log_wrap: true });
    host.set('open');
    await vi.waitFor(() => expect(host.stored).toMatchObject({ theme: 'light', log_wrap: true }));
    expect(host.shown).toMatchObject({ theme: 'light', log_wrap: true });
    expect(host.failures).toEqual([]);
  });

  it('stay on the page, and it is said, when the host refuses them', async () => {
    const sync = host.sync();
    host.refuses = new Error('no room');
    sync.start();
    sync.change({ theme: 'light' });
    await vi.waitFor(() => expect(host.failures).toHaveLength(1));
    expect(host.shown.theme).toBe('light');
  });
});

describe('a bot that is muted', () => {
  it('is muted until it is not, and no other with it', () => {
    muteBot('bot_a', true);
    muteBot('bot_b', true);
    muteBot('bot_a', true);
    expect(usePreferences.getState().muted_bots).toEqual(['bot_b', 'bot_a']);
    muteBot('bot_b', false);
    expect(usePreferences.getState().muted_bots).toEqual(['bot_a']);
    for (let at = 0; at < MUTED_MAX; at += 1) muteBot(`bot_${at}`, true);
    const { muted_bots } = usePreferences.getState();
    expect([muted_bots.length, muted_bots.includes('bot_a')]).toEqual([MUTED_MAX, false]);
  });
});
