import { createServer, get, type IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { credentialOf, isCookieCredential } from '../../../../../src/main/host/auth/request-credential.ts';
import { codeOf, openAuth } from './open-auth.ts';

const cookie = 'theme=dark; platform_session=sess_1; other=2';

describe('credential of a request', () => {
  const cases: [string, IncomingHttpHeaders, string | null][] = [
    ['nothing', {}, null],
    ['x-api-key', { 'x-api-key': 'plat_1' }, 'plat_1'],
    ['x-api-key with spaces around', { 'x-api-key': ' plat_1 ' }, 'plat_1'],
    ['Bearer', { authorization: 'Bearer plat_1' }, 'plat_1'],
    ['bearer in any case', { authorization: 'bEARER   plat_1' }, 'plat_1'],
    ['ApiKey', { authorization: 'ApiKey plat_1' }, 'plat_1'],
    ['apikey in any case', { authorization: 'APIKEY plat_1' }, 'plat_1'],
    ['the cookie', { cookie }, 'sess_1'],
    ['x-api-key before all', { 'x-api-key': 'a', authorization: 'Bearer b', cookie }, 'a'],
    ['Authorization before the cookie', { authorization: 'Bearer b', cookie }, 'b'],
    ['an empty x-api-key is missing', { 'x-api-key': '', authorization: 'Bearer b' }, 'b'],
    ['a blank x-api-key is missing', { 'x-api-key': '  ' }, null],
    ['an empty Authorization is missing', { authorization: '', cookie }, 'sess_1'],
    ['an empty cookie is missing', { cookie: 'platform_session=; a=b' }, null],
    ['a cookie of another name', { cookie: 'xplatform_session=a; platform_sessionx=b' }, null],
    ['two keys are wrong, not none', { 'x-api-key': ['a', 'b'] }, 'a,b'],
    ['two keys as node joins them', { 'x-api-key': 'a, b' }, 'a, b'],
    ['two cookies are wrong', { cookie: 'platform_session=a; platform_session=b' }, 'a; b'],
    ['a cookie is taken whole', { cookie: 'platform_session=a=b' }, 'a=b'],
    [
      'the cookie of the port that was asked',
      { host: '127.0.0.1:4748', cookie: 'platform_session=a; platform_session_4747=b; platform_session_4748=c' },
      'c',
    ],
    ['none of another port', { host: '[::1]:4748', cookie: 'platform_session=a; platform_session_4747=b' }, null],
    ['none of a port where there is none', { host: '[::1]', cookie: 'platform_session_4747=b' }, null],
    ['another scheme is wrong', { authorization: 'Basic b3duZXI6' }, 'Authorization: Basic b3duZXI6'],
    ['a scheme without a token is wrong', { authorization: 'Bearer' }, 'Authorization: Bearer'],
    ['a token without a scheme is wrong', { authorization: 'plat_1' }, 'Authorization: plat_1'],
    ['two tokens are wrong', { authorization: 'Bearer a b' }, 'Authorization: Bearer a b'],
    ['garbage hides no good cookie', { authorization: 'Basic x', cookie }, 'Authorization: Basic x'],
  ];
  it.each(cases)('%s', (_, headers, expected) => {
    expect(credentialOf(headers)).toBe(expected);
  });
});

it.each<[IncomingHttpHeaders, boolean]>([
  [{}, false],
  [{ cookie }, true],
  [{ cookie: 'platform_session=' }, false],
  [{ 'x-api-key': '', cookie }, true],
  [{ 'x-api-key': 'a', cookie }, false],
  [{ authorization: 'Bearer b', cookie }, false],
  [{ authorization: 'Basic x', cookie }, false],
])('%o comes by cookie only: %s', (headers, expected) => {
  expect(isCookieCredential(headers)).toBe(expected);
});

it('a good key sent in a way that is not ours is a wrong one', async () => {
  const { auth, owner } = openAuth();
  const { key } = auth.createKey(owner, { name: 'laptop' });
  const sent: IncomingHttpHeaders[] = [
    { authorization: key },
    { authorization: `Token ${key}` },
    { authorization: `Bearer ${key} ${key}` },
    { 'x-api-key': [key, key] },
    { cookie: `platform_session=${key}; platform_session=${key}` },
    { cookie: `platform_session=${key}=` },
  ];
  for (const headers of sent) {
    expect(await codeOf(() => auth.authenticate(credentialOf(headers))), JSON.stringify(headers)).toBe(
      'INVALID_API_KEY',
    );
  }
  for (const authorization of [`Bearer ${key}`, `apikey ${key}`]) {
    expect(auth.authenticate(credentialOf({ authorization })).userId).toBe(owner);
  }
});

it('a key that was sent twice over the wire is no key', async ({ onTestFinished }) => {
  const seen = Promise.withResolvers<string | null>();
  const server = createServer((request, response) => {
    seen.resolve(credentialOf(request.headers));
    response.end();
  });
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  get(
    { port: address.port, host: '127.0.0.1', agent: false, headers: { 'x-api-key': ['plat_1', 'plat_1'] } },
    (answer) => answer.resume(),
  );
  expect(await seen.promise).toBe('plat_1, plat_1');
});
