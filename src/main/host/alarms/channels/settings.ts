import { CHANNEL_FIELDS, type ChannelKind } from '../../../../contract/alarm-choices.ts';
import { invalid, type Problem } from '../../../../contract/errors.ts';
import { didYouMean } from '../../../../shared/did-you-mean.ts';
import type { Settings } from './channel.ts';

const ADDRESS = /^[^\s@<>,;:"()\\]+@[^\s@<>,;:"()\\]+$/;
const HOST = /^[A-Za-z0-9.:[\]-]{1,255}$/;

function urlProblem(text: string): string | null {
  if (!URL.canParse(text)) return 'is no address; it begins with https://';
  const { protocol, username, password, hostname } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https:// or http://';
  if (username !== '' || password !== '') return 'must not hold a user name or password';
  return hostname === '' ? 'names no host' : null;
}

const port = (text: string): string | null =>
  /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535 ? null : 'is a number from 1 to 65535';

const CHECKS: Readonly<Record<string, (text: string, kind: ChannelKind) => string | null>> = {
  url: urlProblem,
  server: urlProblem,
  secret: (text) => (text.length >= 16 ? null : 'needs at least 16 characters'),
  token: (text, kind) =>
    kind === 'telegram' && !/^\d{1,20}:[\w-]{10,100}$/.test(text) ? 'reads 123456:ABC…, as @BotFather sent it' : null,
  chat_id: (text) => (/^(-?\d{1,20}|@\w{5,64})$/.test(text) ? null : 'is a number, or @ and the name of a channel'),
  topic: (text) => (/^[\w-]{1,64}$/.test(text) ? null : 'is 1 to 64 of A-Z a-z 0-9 _ -'),
  port,
  host: (text) => (HOST.test(text) ? null : 'is the name of a mail server, without https://'),
  from: (text) => (ADDRESS.test(text) ? null : 'is one e-mail address'),
  to: (text) => (ADDRESS.test(text) ? null : 'is one e-mail address'),
};

/** Checks settings that a person gave. Throws INVALID_REQUEST with every problem; the texts themselves are not quoted. */
export function checkSettings(kind: ChannelKind, given: Settings): Settings {
  const fields = CHANNEL_FIELDS[kind];
  const names = fields.map(({ name }) => name);
  const problems: Problem[] = [];
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    const near = didYouMean(name, names);
    const message = `is no setting of this kind${near === null ? '' : `; did you mean ${near}?`}`;
    problems.push({ path: `settings.${name}`, message });
  }
  const settings: Record<string, string> = {};
  for (const { name, label, hint, optional } of fields) {
    const text = Object.hasOwn(given, name) ? (given[name] ?? '').trim() : '';
    if (text === '') {
      if (optional !== true) problems.push({ path: `settings.${name}`, message: `${label} is missing`, hint });
      continue;
    }
    const message = /\p{Cc}/u.test(text) ? 'must not hold control characters' : (CHECKS[name]?.(text, kind) ?? null);
    if (message !== null) problems.push({ path: `settings.${name}`, message, hint });
    settings[name] = text;
  }
  if (problems.length > 0) throw invalid('INVALID_REQUEST', problems);
  return settings;
}

/** Where a channel leads, without anything that lets somebody write to it. */
export function targetOf(kind: ChannelKind, settings: Settings): string {
  const hostOf = (url: string | undefined, usual: string): string => (url === undefined ? usual : new URL(url).host);
  switch (kind) {
    case 'telegram':
      return `chat ${settings.chat_id ?? ''}`;
    case 'ntfy':
      return hostOf(settings.server, 'ntfy.sh');
    case 'pushover':
      return hostOf(settings.server, 'api.pushover.net');
    case 'email':
      return settings.to ?? '';
    case 'desktop':
      return 'your desktop app';
    default:
      return hostOf(settings.url, '');
  }
}
