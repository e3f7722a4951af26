import type { Contact } from '../../../contract/network.ts';
import type { HostMasking } from './host-masking.ts';

/** Two destinations that look the same once their names are masked. `later` is the one that was used last. */
function together(one: Contact, other: Contact): Contact {
  const later = one.last_at < other.last_at ? other : one;
  return {
    ...later,
    connections: one.connections + other.connections,
    sent_bytes: one.sent_bytes + other.sent_bytes,
    received_bytes: one.received_bytes + other.received_bytes,
    blocked: one.blocked + other.blocked,
    beyond_permits: one.beyond_permits + other.beyond_permits,
    blocked_because: later.blocked_because ?? one.blocked_because ?? other.blocked_because,
    first_at: one.first_at < other.first_at ? one.first_at : other.first_at,
  };
}

/** Contacts as they may be shown: the gate has recorded the names as the bot asked for them. */
export function maskedContacts(contacts: readonly Contact[], mask: HostMasking): Contact[] {
  const shown = new Map<string, Contact>();
  for (const contact of contacts) {
    const { port, blocked_because } = contact;
    const host = mask(contact.host, contact.host);
    const because = blocked_because === null ? null : mask(blocked_because, contact.host);
    const masked = { ...contact, host, blocked_because: because };
    const same = shown.get(`${host} ${port}`);
    shown.set(`${host} ${port}`, same === undefined ? masked : together(same, masked));
  }
  return [...shown.values()];
}
