import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { contactsFile } from '../../../../../src/gate/contacts.ts';
import { MaskedNames } from '../../../../../src/main/host/gate/masked-names.ts';
import { tempDir } from '../../../../support/temp.ts';

const OLD = 'k3y-that-was-changed';
const NEW = 'k3y-of-today-4711';

/** The data of a gate, on which hosts follow each other. */
function folder() {
  const dir = tempDir('masked-names-');
  mkdirSync(join(dir, 'contacts'));
  const secrets = { now: [OLD] };
  const host = () => new MaskedNames({ dir, hostKey: 'key of the host', secretsOf: () => secrets.now });
  let written = 0;
  const contacts = (...hosts: readonly string[]): void => {
    const counts = { connections: 1, sent_bytes: 0, received_bytes: 0, blocked: 0, beyond_permits: 0 };
    const at = '2026-01-01T00:00:00Z';
    const items = hosts.map((name) => ({
      ...{ host: name, port: 443, ...counts, blocked_because: null, first_at: at, last_at: at },
    }));
    writeFileSync(contactsFile(dir, 'bot_1'), JSON.stringify({ items }));
    written += 1;
    utimesSync(contactsFile(dir, 'bot_1'), written, written);
  };
  const stored = (): string => readFileSync(join(dir, 'masked/bot_1.json'), 'utf8');
  return { dir, secrets, host, contacts, stored };
}

const shown = (names: MaskedNames, name: string, botId = 'bot_1'): string =>
  names.masking(botId)(`no permit for ${name}:443`, name);

it('masks a name with a secret that was changed since its program was started', () => {
  const { secrets, host } = folder();
  const names = host();
  names.note('bot_1');
  secrets.now = [NEW];
  expect(shown(names, `${OLD}.evil.test`)).toBe('no permit for ***.evil.test:443');
  expect(shown(names, `${NEW}.evil.test`)).toBe('no permit for ***.evil.test:443');
  expect(shown(names, 'api.test')).toBe('no permit for api.test:443');
  expect(shown(names, `${OLD}.evil.test`, 'bot_2')).toContain(OLD);
});

it('has later hosts mask the names of before, and stores neither a secret nor a name', async () => {
  const { dir, secrets, host, contacts, stored } = folder();
  const first = host();
  first.note('bot_1');
  contacts(`${OLD}.evil.test`, 'api.test');
  await first.keepAll();
  contacts(`${OLD}.evil.test`, 'api.test', `a.${OLD}.other.test`);
  secrets.now = [NEW];
  await first.keepAll();
  expect(stored()).not.toContain(OLD);
  expect(stored()).not.toContain('api.test');

  const second = host();
  expect(shown(second, `${OLD}.evil.test`)).toBe('no permit for ***.evil.test:443');
  expect(shown(second, `a.${OLD}.other.test`)).toBe('no permit for a.***.other.test:443');
  expect(shown(second, 'api.test')).toBe('no permit for api.test:443');
  expect(second.masking('bot_1')('nothing of a host', '')).toBe('nothing of a host');
  await second.forget('bot_1');
  expect(readdirSync(join(dir, 'masked'))).toEqual([]);
});

it('looks again at names of before once a secret has become known', async () => {
  const { dir, secrets, host, contacts } = folder();
  const names = host();
  secrets.now = [];
  names.note('bot_1');
  contacts(`${NEW}.evil.test`);
  await names.keepAll();
  expect(existsSync(join(dir, 'masked'))).toBe(false);
  secrets.now = [NEW];
  names.note('bot_1');
  await names.keepAll();
  secrets.now = [];
  expect(shown(host(), `${NEW}.evil.test`)).toBe('no permit for ***.evil.test:443');
});

it('remembers a limited number of values, the latest of them', () => {
  const { secrets, host } = folder();
  const names = host();
  for (let round = 0; round < 300; round += 1) {
    secrets.now = [`value-of-round-${String(round).padStart(4, '0')}-x`];
    names.note('bot_1');
  }
  secrets.now = [];
  expect(shown(names, 'value-of-round-0299-x.test')).toContain('***');
  expect(shown(names, 'value-of-round-0000-x.test')).not.toContain('***');
});

it('keeps what it can where the contacts of one bot cannot be read, and says so', async () => {
  const { dir, host, contacts, stored } = folder();
  const names = host();
  names.note('bot_0');
  names.note('bot_1');
  writeFileSync(contactsFile(dir, 'bot_0'), 'no JSON');
  contacts(`${OLD}.evil.test`);
  await expect(names.keepAll()).rejects.toThrow('JSON');
  expect(Object.values(JSON.parse(stored()))).toEqual(['***.evil.test']);
});
