import { expect, it } from 'vitest';
import { readQuestion } from '../../../src/gate/name-server.ts';

function question(labels: readonly string[], type = 1): Buffer {
  const name = Buffer.concat(
    labels.map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1')),
  );
  const head = Buffer.from([0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([head, name, Buffer.from([0, 0, type, 0, 1])]);
}

it('reads a question for a name, with more behind it', () => {
  const message = question(['api', 'test'], 28);
  expect(readQuestion(Buffer.concat([message, Buffer.alloc(11)]))).toEqual({
    name: 'api.test',
    type: 28,
    end: message.length,
  });
});

it('reads nothing else', () => {
  const whole = question(['api', 'test']);
  const answer = Buffer.from(whole);
  answer[2] = 0x81;
  const two = Buffer.from(whole);
  two[5] = 2;
  const pointer = Buffer.from(whole);
  pointer[12] = 0xc0;
  for (let size = 0; size < whole.length; size += 1)
    expect(readQuestion(whole.subarray(0, size)), `${size}`).toBeNull();
  for (const other of [answer, two, pointer, question(['a b']), question(['a.b']), question(Array(60).fill('abcde'))])
    expect(readQuestion(other)).toBeNull();
});
