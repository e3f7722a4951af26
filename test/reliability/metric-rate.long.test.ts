import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { logRows } from '../support/log-files.ts';
import { testHost } from '../support/platform.ts';
import { prove, rounds } from '../support/proof.ts';
import { rawRequest } from '../support/raw-http.ts';
import { botUntil, call, deployTiny, lineUntil, tell } from '../support/tiny-bot.ts';

const SECONDS = rounds(2, 60);
const PER_SECOND = 100_000;
const TOTAL = SECONDS * PER_SECOND;

/** As many as are due by the clock, so that a busy machine gets them in larger pieces and all the same. */
const BOT = `
import { existsSync, writeSync } from 'node:fs';
let begin = 0;
let next = 0;
const timer = setInterval(() => {
  if (begin === 0 && existsSync(process.env.STATE_DIR + '/begin')) begin = performance.now();
  if (begin === 0) return;
  const due = Math.min(${TOTAL}, Math.floor((performance.now() - begin) * ${PER_SECOND / 1000}));
  let text = '';
  while (next < due) text += '{"_metric":"tick","symbol":"A","value":' + next++ + '}\\n';
  if (next === ${TOTAL}) { clearInterval(timer); text += 'the end\\n'; setInterval(() => {}, 1000); }
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
}, 10);`;

it(`${PER_SECOND} metrics a second for ${SECONDS} s are all stored, and the host answers meanwhile`, async ({
  onTestFinished,
}) => {
  const host = await testHost(onTestFinished, undefined, null, { PLATFORM_RETENTION_MB: '100000' });
  const { bot_id: id } = await deployTiny(host, { name: 'many-metrics', bot: BOT });
  await botUntil(host, id, 'running', (bot) => bot.status === 'running');
  tell(host, id, 'begin');
  const answers: number[] = [];
  const end = lineUntil(host, id, 'the end', rounds(90_000, 900_000));
  let over = false;
  void end.finally(() => {
    over = true;
  });
  while (!over) {
    const from = performance.now();
    await rawRequest(`${host.url}/healthz`);
    answers.push(performance.now() - from);
    await wait(10);
  }
  await end;
  const { metrics } = await call<{ metrics: number }>(host, 'GET', `/api/v1/bots/${id}/logs/summary`);
  const seen = new Set<number>();
  for (const { value } of logRows<{ value: number }>(host.dataDir, id, 'select value from point')) seen.add(value);
  const points = seen.size;
  answers.sort((a, b) => a - b);
  const share = (of: number): number => Math.round(answers[Math.floor((answers.length - 1) * of)] ?? 0);
  const figures = {
    seconds: SECONDS,
    metrics: TOTAL,
    lost: TOTAL - points,
    'answer, median (ms)': share(0.5),
    'answer, 99 of 100 (ms)': share(0.99),
  };
  expect(figures.lost).toBe(0);
  expect(metrics).toBe(TOTAL);
  expect(share(0.99)).toBeLessThan(1000);
  await prove('R14', `${PER_SECOND} metrics a second`, figures);
});
