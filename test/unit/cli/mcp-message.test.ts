import { describe, expect, it } from 'vitest';
import {
  cancelledId,
  failureLine,
  hostLine,
  idsOf,
  introducedName,
  isAnswer,
  modernHeaders,
} from '../../../src/cli/mcp-message.ts';

const modern = (method: string, params: object = {}): object => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: { ...params, _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
});

describe('modernHeaders', () => {
  it.each([
    ['tools/list', {}, undefined],
    ['tools/call', { name: 'bot_get' }, 'bot_get'],
    ['prompts/get', { name: 'author_bot' }, 'author_bot'],
    ['resources/read', { uri: 'platform://bots/1' }, 'platform://bots/1'],
    ['tools/call', { name: 'ü' }, '=?base64?w7w=?='],
    ['tools/call', { name: ' x' }, '=?base64?IHg=?='],
    ['tools/call', { name: '=?base64?eA==?=' }, '=?base64?PT9iYXNlNjQ/ZUE9PT89?='],
    ['tools/call', { name: 'a\r\nx-api-key: b' }, '=?base64?YQ0KeC1hcGkta2V5OiBi?='],
    ['completion/complete', { name: 'no' }, undefined],
    ['tools/call', { name: 7 }, undefined],
  ])('of %s %j', (method, params, name) => {
    expect(modernHeaders(modern(method, params))).toEqual({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': name }),
    });
  });

  it.each([null, 7, [modern('tools/list')], { method: 'tools/list' }, { method: 'a', params: { _meta: {} } }])(
    'are none for %j',
    (message) => {
      expect(modernHeaders(message)).toEqual({});
    },
  );
});

it('finds who waits for an answer', () => {
  expect(idsOf({ id: 'a', method: 'm' })).toEqual(['a']);
  expect(idsOf({ id: 0, method: 'm' })).toEqual([0]);
  expect(idsOf({ method: 'm' })).toEqual([]);
  expect(idsOf({ id: null, method: 'm' })).toEqual([]);
  expect(idsOf([{ id: 1, method: 'm' }, { method: 'n' }, 7, { id: 'b', method: 'm' }])).toEqual([1, 'b']);
});

it('tells answers, cancellations and introductions from other messages', () => {
  expect(isAnswer({ id: 1, result: {} })).toBe(true);
  expect(isAnswer({ id: 1, method: 'm', result: {} })).toBe(false);
  expect(cancelledId({ method: 'notifications/cancelled', params: { requestId: 0 } })).toBe(0);
  expect(cancelledId({ method: 'notifications/cancelled' })).toBeNull();
  expect(cancelledId({ method: 'other', params: { requestId: 1 } })).toBeNull();
  const clientInfo = { name: 'Ünï\nx', version: '1' };
  expect(introducedName({ method: 'initialize', params: { clientInfo } })).toBe('?n??x/1');
  expect(introducedName({ method: 'tools/list', params: { clientInfo } })).toBeNull();
});

describe('hostLine', () => {
  const one = { waiting: new Set([1]), batch: false };
  const two = { waiting: new Set([1, 2]), batch: true };
  const parsed = (text: string, asked: { waiting: Set<number>; batch: boolean }) => {
    const found = hostLine(text, asked);
    return found === null ? null : { ids: found.ids, message: JSON.parse(found.line) };
  };

  it('copies as it came, digits included', () => {
    const text = '{"jsonrpc":"2.0","id":1,"result":12345678901234567890}';
    expect(hostLine(text, one)).toEqual({ line: text, ids: [1] });
  });
  it('makes one line of several', () => {
    expect(hostLine('{"id":1,\n"result":{}}', one)?.line).toBe('{"id":1,"result":{}}');
  });
  it.each(['"id":null,', ''])('gives a refusal with (%s) for an id that of its request', (id) => {
    const error = { code: -32600, message: 'no' };
    const text = `{"jsonrpc":"2.0",${id}"error":${JSON.stringify(error)}}`;
    expect(parsed(text, one)).toEqual({ ids: [1], message: { jsonrpc: '2.0', id: 1, error } });
    expect(parsed(text, two)).toEqual({
      ids: [1, 2],
      message: [
        { jsonrpc: '2.0', id: 1, error },
        { jsonrpc: '2.0', id: 2, error },
      ],
    });
  });
  it('makes a JSON-RPC error of an error of the API', () => {
    const error = { code: 'FORBIDDEN', message: 'not from here' };
    expect(parsed(JSON.stringify({ error }), one)).toMatchObject({
      ids: [1],
      message: { id: 1, error: { code: -32600, message: 'not from here', data: error } },
    });
  });
  it('takes what the host says by itself for no answer', () => {
    for (const text of ['{"method":"notifications/progress"}', '{"id":1,"method":"sampling/createMessage"}']) {
      expect(hostLine(text, one)).toEqual({ line: text, ids: [] });
    }
  });
  it.each([
    '<html>',
    '"hello"',
    '[1,2]',
    '[{"id":1,"result":{}}]',
    '{"id":2,"result":{}}',
    '{"id":"1","result":{}}',
    '{}',
  ])('hands on nothing that the client could not read: %s', (text) => {
    expect(hostLine(text, one)).toBeNull();
  });
  it('keeps of a batch what was asked for', () => {
    const answer = { id: 2, result: {} };
    expect(parsed(JSON.stringify([answer, { id: 9, result: {} }, 'x']), two)).toEqual({ ids: [2], message: [answer] });
  });
});

it('fails everyone who waits, in the form that they asked in', () => {
  const error = { code: 503, message: 'gone' };
  expect(failureLine([], false, error)).toBeNull();
  expect(JSON.parse(failureLine(['a'], false, error) ?? '')).toEqual({ jsonrpc: '2.0', id: 'a', error });
  expect(JSON.parse(failureLine(['a', 2], true, error) ?? '')).toMatchObject([{ id: 'a' }, { id: 2 }]);
});
