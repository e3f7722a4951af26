import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bare, fastAsking, makeKey, message } from '../../support/mcp.ts';
import { TestHost } from '../../support/platform.ts';
import { botUntil, call, deployTiny } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

/** An assistant's work with the log of a bot, and its cost: calls, and bytes of the answers as they are sent. */
const host = new TestHost();
const LINES = 5000;
/** Of six kinds, spread over all lines. */
const ERRORS = 52;

/** How loggers write a level and a message: `E` and `I` stand for the two levels. */
const SHAPES = {
  noisy: "level + ' ' + text",
  python: "'2026-11-24 10:00:' + (10 + (i % 50)) + ',123 - bot - ' + level + ' - ' + text",
  pino: "JSON.stringify({ level: level === 'ERROR' ? 50 : 30, time: Date.now(), pid: 7, msg: text })",
  log4j: "'2026-11-24 10:00:' + (10 + (i % 50)) + ',123 [main] ' + level.padEnd(5) + ' com.example.Bot - ' + text",
};

const sayingIn = (name: keyof typeof SHAPES) => ({
  name,
  bot: `
    import { log, parse } from '@bot-platform/sdk';
    parse();
    let errors = 0;
    const say = (i, level, text) => process.stderr.write(${SHAPES[name]} + String.fromCharCode(10));
    for (let i = 1; i <= ${LINES}; i++) {
      const isError = i % 96 === 0 && errors < ${ERRORS};
      if (!isError) { say(i, 'INFO', 'round ' + i + ' of AAPL took ' + (i * 7) % 90 + ' ms'); continue; }
      const kinds = [
        'order ' + i + ' was refused: HTTP 429 Too Many Requests',
        'cannot read "price-' + i + '" of AAPL',
        'connection to 10.0.0.' + (i % 7) + ':443 timed out after ' + i + ' ms',
        'balance ' + i + ' is below the least of 100',
        'unknown symbol \\'X' + i + '\\'',
        'only once',
      ];
      say(i, 'ERROR', kinds[errors === 30 ? 5 : errors % 5]);
      errors += 1;
    }
    log('all said');
    setInterval(() => {}, 60_000);
  `,
});
const FAILS = {
  name: 'fails',
  type: 'scheduled' as const,
  bot: `import { error, state } from '@bot-platform/sdk';
    const n = state.get('n', 0) + 1;
    state.set('n', n);
    error(n % 2 === 0 ? 'exchange answered 503 for order ' + n : 'balance of ' + n + ' is too low');`,
};

let key = '';
let noisy = '';
beforeAll(async () => {
  fastAsking(host.dataDir);
  await host.start();
  key = await makeKey(host);
  noisy = await said('noisy');
});
afterAll(() => host.stop());

// biome-ignore lint/suspicious/noExplicitAny: the answers of all tools
type Data = any;

class Assistant {
  calls = 0;
  bytes = 0;

  async use(name: string, input: object = {}): Promise<Data> {
    const answer = await bare(host, key, message('tools/call', { name, arguments: input }));
    const { result } = answer.json();
    const [{ text }] = result.content;
    this.calls += 1;
    this.bytes += Buffer.byteLength(answer.text);
    if (result.isError === true) throw new Error(result.content.map((part: { text: string }) => part.text).join('\n'));
    return JSON.parse(text);
  }
}

/** A bot that has written all its lines in one of the shapes. */
async function said(name: keyof typeof SHAPES): Promise<string> {
  const { bot_id } = await deployTiny(host, sayingIn(name));
  await until('its last line', async () => {
    const { entries } = await call<{ entries: { message: string }[] }>(
      host,
      'GET',
      `/api/v1/bots/${bot_id}/logs?limit=1`,
    );
    return entries[0]?.message === 'all said';
  });
  return bot_id;
}

const OTHERS = ['python', 'pino', 'log4j'] as const;
it.each(['noisy', ...OTHERS] as const)(
  'finds all 52 errors among 5,000 lines of %s with 2 calls and 6 KB',
  async (name) => {
    const bot_id = name === 'noisy' ? noisy : await said(name);
    const assistant = new Assistant();
    const { bots } = await assistant.use('bot_list', { search: name });
    expect(bots.map((bot: Data) => bot.bot_id)).toEqual([bot_id]);
    const { problems, problem_lines } = await assistant.use('logs_summary', { bot_id: bots[0].bot_id });
    expect(problem_lines).toBe(ERRORS);
    expect(problems.map(({ count }: { count: number }) => count).reduce((a: number, b: number) => a + b, 0)).toBe(
      ERRORS,
    );
    const examples = problems.map(({ example }: { example: string }) => example).join('\n');
    for (const kind of ['HTTP 429', 'cannot read', 'timed out', 'balance', 'unknown symbol', 'only once']) {
      expect(examples).toContain(kind);
    }
    expect(problems).toHaveLength(6);
    expect(assistant.calls).toBe(2);
    expect(assistant.bytes).toBeLessThan(6 * 1024);
  },
);

describe('logs_get', () => {
  it('reads errors alone, by level', async () => {
    const page = await new Assistant().use('logs_get', { bot_id: noisy, level: 'error', limit: 100 });
    expect(page.returned).toBe(ERRORS);
    expect(page.truncated).toBe(false);
  });

  it('reads on by its cursor without a gap or a repeat, also in a search and from a time before now', async () => {
    const seen: number[] = [];
    const assistant = new Assistant();
    const asked = { bot_id: noisy, search: 'INFO ROUND 1', date_range: '-1h', limit: 400 };
    for (let more: object = asked; ; ) {
      const page = await assistant.use('logs_get', more);
      seen.unshift(...page.lines.map((line: string) => Number(/: INFO round (\d+) /.exec(line)?.[1])));
      if (!page.truncated) break;
      more = { ...asked, cursor: page.older.cursor };
    }
    const expected = Array.from({ length: LINES }, (_, i) => i + 1).filter(
      (i) => String(i).startsWith('1') && (i % 96 !== 0 || i / 96 > ERRORS),
    );
    expect(seen).toEqual(expected);
    expect(assistant.calls).toBeGreaterThan(2);
  });

  it('finds nothing from before the range', async () => {
    expect((await new Assistant().use('logs_get', { bot_id: noisy, date_range: '-2h/-1h' })).returned).toBe(0);
  });

  it('refuses a cursor of another search, and one that it did not make', async () => {
    const assistant = new Assistant();
    const { older } = await assistant.use('logs_get', { bot_id: noisy, level: 'info', limit: 1 });
    const other = assistant.use('logs_get', { bot_id: noisy, level: 'error', cursor: older.cursor });
    await expect(other).rejects.toThrow('was made for another level');
    for (const cursor of ['x', 'bnVsbA', Buffer.from('{"before":-1}').toString('base64url')]) {
      await expect(assistant.use('logs_get', { bot_id: noisy, cursor })).rejects.toThrow('not a cursor of this tool');
    }
  });
});

it('50 kinds of noise hide neither the one cause nor what was said last', async () => {
  const HIDDEN = {
    name: 'hidden-cause',
    bot: `
      import { log, parse } from '@bot-platform/sdk';
      parse();
      const kinds = Array.from({ length: 50 }, (_, i) => String.fromCharCode(97 + i % 26) + (i < 26 ? 'x' : 'y') + 'z');
      const noise = () => kinds.forEach((kind) => log('ERROR the feed ' + kind + ' was late again, which it always is: ' + 'why '.repeat(40)));
      for (let i = 0; i < 5; i++) noise();
      log('ERROR the exchange took back the key of the account');
      for (let i = 0; i < 5; i++) noise();
      log('ERROR gave up');
      log('all said');
      setInterval(() => {}, 60_000);`,
  };
  const { bot_id } = await deployTiny(host, HIDDEN);
  const assistant = new Assistant();
  const { problems, problem_lines } = await until('its last line', async () => {
    const told = await assistant.use('logs_summary', { bot_id });
    return told.problem_lines === 502 ? told : null;
  });
  expect(problem_lines).toBe(502);
  const examples = problems.map(({ example }: Data) => example).join('\n');
  expect(examples).toContain('took back the key');
  expect(examples).toContain('gave up');
  expect(JSON.stringify(problems).length).toBeLessThan(3100);
  const { recent_errors } = await assistant.use('bot_get', { bot_id });
  const recent = recent_errors.map(({ example }: Data) => example).join('\n');
  expect(recent).toContain('took back the key');
  expect(recent).toContain('gave up');
  expect(recent).toContain('was late again');
  expect(recent_errors).toHaveLength(5);
});

it('failed runs are told by cause, and lines of one of them by its id', async () => {
  const { bot_id } = await deployTiny(host, FAILS);
  for (let run = 1; run <= 4; run++) {
    const before = (await call<{ items: object[] }>(host, 'GET', `/api/v1/bots/${bot_id}/runs`)).items.length;
    await call(host, 'POST', `/api/v1/bots/${bot_id}/run`);
    await botUntil(
      host,
      bot_id,
      'its end',
      ({ status, last_run }) => status === 'scheduled' && last_run?.status === 'failed',
    );
    expect((await call<{ items: object[] }>(host, 'GET', `/api/v1/bots/${bot_id}/runs`)).items.length).toBe(before + 1);
  }
  const assistant = new Assistant();
  const { runs } = await assistant.use('logs_summary', { bot_id });
  expect(runs).toMatchObject({ of_newest: 4, failed: 4, by_cause: [{ count: 2 }, { count: 2 }] });
  const said = runs.by_cause.map(({ message: why }: { message: string }) => why).join('\n');
  expect(said).toContain('503');
  expect(said).toContain('too low');
  const [{ run_id }] = runs.by_cause;
  const { lines } = await assistant.use('logs_get', { bot_id, run: run_id });
  const all = await assistant.use('logs_get', { bot_id });
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.length).toBeLessThan(all.lines.length);
});
