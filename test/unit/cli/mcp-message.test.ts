import { describe, expect, it } from 'vitest';
import {
  answerLine,
  cancelledId,
  failureLine,
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

describe('answerLine', () => {
  it('copies as it came, digits included', () => {
    const text = '{"jsonrpc":"2.0","id":1,"result":12345678901234567890}';
    expect(answerLine(text, 1)).toEqual({ line: text, id: 1 });
  });
  it('makes one line of several', () => {
    expect(answerLine('{"id":1,\n"result":{}}', 1)?.line).toBe('{"id":1,"result":{}}');
  });
  it('gives a refusal without an id that of its request', () => {
    const refused = answerLine('{"jsonrpc":"2.0","id":null,"error":{"code":1}}', 'a');
    expect(JSON.parse(refused?.line ?? '')).toEqual({ jsonrpc: '2.0', id: 'a', error: { code: 1 } });
  });
  it('takes a notification for no answer, and other text for no message', () => {
    expect(answerLine('{"method":"notifications/progress","id":1}', undefined)?.id).toBeNull();
    expect(answerLine('<html>', 1)).toBeNull();
  });
});

it('fails everyone who waits, in the form that they asked in', () => {
  const error = { code: 503, message: 'gone' };
  expect(failureLine([], false, error)).toBeNull();
  expect(JSON.parse(failureLine(['a'], false, error) ?? '')).toEqual({ jsonrpc: '2.0', id: 'a', error });
  expect(JSON.parse(failureLine(['a', 2], true, error) ?? '')).toMatchObject([{ id: 'a' }, { id: 2 }]);
});
