import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { startProgram } from '../../support/child-program.ts';
import { ROOT } from '../../support/platform.ts';
import { failed, ok, say, serveQueries } from '../../support/query-server.ts';
import { GO_ADAPTER, isHere } from '../../support/sdk-adapters.ts';
import { tempDir } from '../../support/temp.ts';

const dir = tempDir('go-query-');
const program = join(dir, 'bot');
const ENDLESS = 'the value is nested deeper than 500, or contains itself';
const serve = () =>
  serveQueries((env) => startProgram(program, [], { cwd: dir, env: { BOT_ID: 'bot_1', BOT_CONFIG: '{}', ...env } }));

/** Status and body of the answer to these bytes, after which nothing more comes. */
async function told(port: number, body: string, length: number) {
  const heard = await say(port, `POST /echo HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${length}\r\n\r\n${body}`);
  return [Number(heard.split(' ')[1]), JSON.parse(heard.slice(heard.indexOf('\r\n\r\n')))];
}

describe.runIf(isHere(GO_ADAPTER))('the query server of a Go bot', () => {
  beforeAll(() => {
    const env = { ...process.env, GOPROXY: 'off', GOFLAGS: '-mod=mod', CGO_ENABLED: '0' };
    const cwd = join(ROOT, 'test/fixtures/sdk/go');
    const { status, stderr } = spawnSync('go', ['build', '-o', program, '.'], { cwd, env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  }, 300_000);

  it.each(['/panic', '/list'])('goes on after the answer of %s, whose MarshalJSON panics', async (path) => {
    const { ask } = await serve();
    expect(await ask(path)).toEqual([500, failed('no luck in MarshalJSON')]);
    expect(await ask('/echo')).toEqual([200, ok({})]);
  });

  it.each(['/map', '/slice', '/fields', '/both', '/deeper', '/row', '/pointer', '/wrapped'])(
    'goes on after that of %s, which has no end',
    async (path) => {
      const { ask } = await serve();
      expect(await ask(path)).toEqual([500, failed(ENDLESS)]);
      expect(await ask('/echo')).toEqual([200, ok({})]);
    },
  );

  it('goes on after that of a struct in which pointers lead back to it', async () => {
    const { ask } = await serve();
    const [status, { error }] = (await ask('/ring')) as [number, { readonly error: string }];
    expect([status, error]).toEqual([500, expect.stringMatching(/encountered a cycle via \*main\.node$/)]);
    expect(await ask('/echo')).toEqual([200, ok({})]);
  });

  it('goes on after lines of its log with such values, and says why they are not there', async () => {
    const { ask, child, ended } = await serve();
    expect(await ask('/log')).toEqual([500, failed(ENDLESS)]);
    const noNumber = 'must be a number, or its digits as text, with at most 38 significant digits';
    expect(await ask('/equity')).toEqual([500, failed(`\`value\` of equity ${noNumber}`)]);
    expect(await ask('/echo')).toEqual([200, ok({})]);
    child.kill('SIGTERM');
    const lines = (await ended).stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ message, data }) => [message, data])).toEqual([
      ['/map', `map[string]interface {} cannot be written: ${ENDLESS}`],
      ['/slice', `[]interface {} cannot be written: ${ENDLESS}`],
      ['/fields', `platform.Fields cannot be written: ${ENDLESS}`],
      ['/ring', '*main.node cannot be written: json: unsupported value: encountered a cycle via *main.node'],
      ['/row', `*main.node cannot be written: ${ENDLESS}`],
    ]);
  });

  it('writes an answer that is nested, but not too deep', async () => {
    const { ask } = await serve();
    let deep: unknown = 1.5;
    for (let at = 0; at <= 100; at++) deep = { in: [deep] };
    expect(await ask('/deep')).toEqual([200, ok(deep)]);
  });

  it('refuses a body that has more behind its object, or ends before its length', async () => {
    const { port, ask } = await serve();
    expect(await told(port, '{"n":"1"}', 9)).toEqual([200, ok({ n: '1' })]);
    expect(await told(port, '{"n":"1"} \n', 11)).toEqual([200, ok({ n: '1' })]);
    for (const more of ['}', ']', '{}', ' 1', 'x', '\0']) {
      const wrong = failed('Bad request: the body cannot be used: there is more behind the value');
      expect(await ask('/echo', `{"n":"1"}${more}`)).toEqual([400, wrong]);
    }
    const short = failed('Bad request: the body ends before its Content-Length');
    expect(await told(port, '{"n":"1"}', 10)).toEqual([400, short]);
    expect(await told(port, '', 1)).toEqual([400, short]);
  });
});
