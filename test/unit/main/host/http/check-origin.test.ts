import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { checkOrigin, isSameOrigin } from '../../../../../src/main/host/http/check-origin.ts';

const withHeaders = (headers: Record<string, string>) =>
  ({ headers, rawHeaders: Object.entries(headers).flat() }) as unknown as IncomingMessage;
const LOCAL = { address: '127.0.0.1', secure: false };

describe('checkOrigin', () => {
  it.each([
    { host: '127.0.0.1:4747' },
    { host: 'localhost:4747' },
    { host: '[::1]:4747' },
    { host: 'localhost:4747', origin: 'http://localhost:4747' },
  ])('lets %j in', (headers) => expect(() => checkOrigin(withHeaders(headers), LOCAL)).not.toThrow());
  it.each([
    {},
    { host: 'evil.example' },
    { host: 'localhost.evil.example:4747' },
    { host: '127.0.0.1.evil.example' },
    { host: '127.evil.example' },
    { host: '192.168.1.5:4747' },
    { host: 'localhost:4747', origin: 'http://evil.example' },
    { host: 'localhost:4747', origin: 'null' },
    { host: 'localhost:4747', origin: 'https://localhost:4747' },
    { host: 'localhost:4747', origin: 'http://localhost:4748' },
    { host: 'localhost:4747', origin: 'http://127.0.0.1:4747' },
  ])('refuses %j', (headers) =>
    expect(() => checkOrigin(withHeaders(headers), LOCAL)).toThrow(expect.objectContaining({ code: 'FORBIDDEN' })),
  );
  it('answers to addresses, not to names, when others may reach it', () => {
    const open = { address: '0.0.0.0', secure: true };
    expect(() => checkOrigin(withHeaders({ host: '192.168.1.5:4747' }), open)).not.toThrow();
    expect(() => checkOrigin(withHeaders({ host: 'rebound.example:4747' }), open)).toThrow();
    expect(() => checkOrigin(withHeaders({ host: '10.0.0.1', origin: 'https://10.0.0.1' }), open)).not.toThrow();
  });
});

describe('isSameOrigin', () => {
  it.each([
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ origin: 'http://localhost:4747' }, true],
    [{ 'sec-fetch-site': 'cross-site' }, false],
    [{ 'sec-fetch-site': 'same-site', origin: 'http://localhost:4747' }, false],
    [{ 'sec-fetch-site': 'none' }, false],
    [{}, false],
  ])('%j: %s', (headers, expected) => expect(isSameOrigin(withHeaders(headers))).toBe(expected));
});
