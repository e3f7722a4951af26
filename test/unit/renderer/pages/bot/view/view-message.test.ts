import { expect, it } from 'vitest';
import { readMessage } from '../../../../../../src/renderer/pages/bot/view/view-message.ts';

const MESSAGE = { jsonrpc: '2.0', id: 7, method: 'ping' };

it('reads a request and a notification', () => {
  expect(readMessage({ ...MESSAGE, params: { a: [1, null, { b: 'c' }], left: undefined } })).toEqual({
    id: 7,
    method: 'ping',
    params: { a: [1, null, { b: 'c' }], left: undefined },
  });
  expect(readMessage({ jsonrpc: '2.0', method: 'note' })).toEqual({ id: null, method: 'note', params: {} });
});

const circle: Record<string, unknown> = { ...MESSAGE };
circle.params = circle;

it.each([
  ['a text', 'ping'],
  ['null', null],
  ['a list', [MESSAGE]],
  ['another version', { ...MESSAGE, jsonrpc: '1.0' }],
  ['no method', { jsonrpc: '2.0', id: 7, result: {} }],
  ['a method that is no text', { ...MESSAGE, method: { name: 'ping' } }],
  ['params that are a list', { ...MESSAGE, params: [] }],
  ['bytes', { ...MESSAGE, params: { it: new Uint8Array(10_000_000) } }],
  ['a map', { ...MESSAGE, params: { it: new Map([['a', 1]]) } }],
  ['a number that JSON has not', { ...MESSAGE, params: { it: 10n } }],
  ['a function', { ...MESSAGE, params: { it: () => 1 } }],
])('takes %s for no message', (_, data) => {
  expect(readMessage(data)).toMatchObject({ unfit: 'no message' });
});

it.each([
  ['a long text', { ...MESSAGE, params: { it: 'x'.repeat(70_000) } }],
  ['many texts', { ...MESSAGE, params: { it: Array.from({ length: 1000 }, () => 'x'.repeat(100)) } }],
  ['long names', { ...MESSAGE, params: { ['x'.repeat(70_000)]: 1 } }],
  ['many values', { ...MESSAGE, params: { it: Array.from({ length: 6000 }, () => 0) } }],
  ['a list of holes', { ...MESSAGE, params: { it: new Array(4_000_000_000) } }],
  ['endless nesting', circle],
])('refuses %s', (_, data) => {
  expect(readMessage(data)).toEqual({ id: null, unfit: 'too large' });
});

it('keeps the id of a request that it cannot read, to refuse it', () => {
  expect(readMessage({ ...MESSAGE, params: [] })).toEqual({ id: 7, unfit: 'no message' });
  expect(readMessage({ ...MESSAGE, id: {}, params: [] })).toEqual({ id: null, unfit: 'no message' });
});
