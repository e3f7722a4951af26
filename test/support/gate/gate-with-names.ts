import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { Gate } from '../../../src/gate/gate-server.ts';

/**
 * The gate as a process, with names of a test in place of the DNS: `DIR PORT NAMES`. NAMES is JSON; a list of lists gives
 * another answer each time.
 */
const [dir = '', port = '0', text = '{}'] = process.argv.slice(2);
const names = new Map<string, string[][]>(Object.entries(JSON.parse(text)));

const gate: Gate = new Gate({
  dir,
  key: readFileSync(join(dir, 'key')),
  version: 'test',
  resolve: (host) => {
    const answers = names.get(host) ?? [];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    return answer === undefined ? Promise.reject(new Error('no such name')) : Promise.resolve(answer);
  },
  now: Date.now,
  log: (line) => process.stderr.write(`${line}\n`),
  ended: () => void gate.close().finally(() => process.exit(0)),
});
process.stdout.write(`${JSON.stringify({ ready: true, port: await gate.listen(Number(port)) })}\n`);
