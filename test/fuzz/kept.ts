import { gzipSync } from 'node:zlib';
import { END, paxHeader, tarEntry } from '../unit/packaging/raw-tar.ts';

/** An input that was once not read as it must be. */
export interface KeptInput {
  readonly target: string;
  /** What happened. */
  readonly was: string;
  readonly input: string;
}

const packed = (...parts: readonly Buffer[]): string => gzipSync(Buffer.concat([...parts, END])).toString('latin1');

/** Every input that showed a fault: read again in each run of the tests. */
export const KEPT: readonly KeptInput[] = [
  {
    target: 'lines',
    was: 'the stack ended while a line was written again that was nested more deeply than it holds',
    input: `{"message":"x","a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
  },
  {
    target: 'masker',
    was: 'a value of digits was shown before and after letters',
    input: JSON.stringify({ secrets: ['342698864107400266641'], lines: ['x: 342698864107400266641Bearer y'] }),
  },
  {
    target: 'masker',
    was: 'a value of digits was shown in a line that begins as JSON does and is none',
    input: JSON.stringify({
      secrets: ['223559389670486334927551637'],
      lines: ['{"me***"}%20*? 223559389670486334927551637 token='],
    }),
  },
  {
    target: 'state',
    was: 'a key of few enough bytes had a file name that no file system takes',
    input: JSON.stringify(['漢'.repeat(42), '1']),
  },
  {
    target: 'package',
    was: 'the upload was never answered: the reader of archives does not end the stream of a folder that has content',
    input: packed(tarEntry({ name: 'lib/', type: '5', content: 'x'.repeat(700) })),
  },
  {
    target: 'package',
    was: 'the same, with the size in an extended header, and for the root folder',
    input: packed(paxHeader({ size: '700' }), tarEntry({ name: './', type: '5' })),
  },
  {
    target: 'http',
    was: 'the connection was closed without an answer when there is no such project',
    input: JSON.stringify({
      name: 'projects.stream',
      method: 'GET',
      path: '/api/v1/projects/prj_none/events',
      headers: {},
      body: null,
    }),
  },
];
