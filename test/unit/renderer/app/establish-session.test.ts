import { describe, expect, it } from 'vitest';
import type { AuthStatus } from '../../../../src/contract/account.ts';
import { Entrance } from '../../../../src/renderer/app/establish-session.ts';
import { HostError } from '../../../../src/renderer/data/host-error.ts';

const user = (name: string): AuthStatus => ({
  valid: true,
  user: { user_id: `user_${name}`, name, role: 'user' },
  scope: 'full',
  bots: null,
  method: 'session',
  key: null,
});
const refusal = (): HostError =>
  new HostError({ code: 'INVALID_CREDENTIALS', message: 'used', hint: null, details: null, request_id: null });

/** A host on which every ticket is of the user that it names. */
function door(session: string | null = null) {
  const host = { session, entered: [] as string[], away: false, answers: true, refuses: false };
  const entrance = new Entrance({
    readSession: async () => {
      if (host.away) throw HostError.away();
      return host.session === null ? null : user(host.session);
    },
    enter: async (ticket) => {
      if (host.away) throw HostError.away();
      if (host.refuses) throw refusal();
      host.entered.push(ticket);
      host.session = ticket;
      if (!host.answers) throw HostError.lost();
    },
  });
  return { host, entrance };
}

describe('who comes in', () => {
  it('logs in with a link', async () => {
    const { entrance } = door();
    entrance.take('ann');
    expect(await entrance.look()).toMatchObject({ at: 'in', who: { user: { name: 'ann' } } });
  });

  it('asks for a log-in without one, and lets in who has logged in', async () => {
    const { host, entrance } = door();
    expect(await entrance.look()).toEqual({ at: 'sign in', error: null });
    host.session = 'ann';
    expect(await entrance.look()).toMatchObject({ at: 'in' });
  });

  it('asks whoever is logged in before it makes somebody else of them', async () => {
    const { host, entrance } = door('owner');
    entrance.take('mallory');
    expect(await entrance.look()).toMatchObject({ at: 'choose', ticket: 'mallory', who: { user: { name: 'owner' } } });
    expect(host.entered).toEqual([]);
    expect(await entrance.look()).toMatchObject({ at: 'in', who: { user: { name: 'owner' } } });
  });

  it('keeps the ticket while the host is away', async () => {
    const { host, entrance } = door();
    host.away = true;
    entrance.take('ann');
    expect(await entrance.look()).toMatchObject({ at: 'away', error: { code: 'CONNECTION_LOST' } });
    host.away = false;
    expect(await entrance.look()).toMatchObject({ at: 'in', who: { user: { name: 'ann' } } });
  });

  it('does not ask about a session that the link itself has made', async () => {
    const { host, entrance } = door();
    host.answers = false;
    entrance.take('ann');
    expect(await entrance.look()).toMatchObject({ at: 'away' });
    expect(await entrance.look()).toMatchObject({ at: 'in', who: { user: { name: 'ann' } } });
    expect(host.entered).toEqual(['ann']);
  });

  it('says that a link was used, once', async () => {
    const { host, entrance } = door();
    host.refuses = true;
    entrance.take('ann');
    expect(await entrance.look()).toMatchObject({ at: 'sign in', error: { code: 'INVALID_CREDENTIALS' } });
    expect(await entrance.look()).toEqual({ at: 'sign in', error: null });
  });
});
