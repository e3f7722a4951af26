import { expect, it } from 'vitest';
import type { Preferences } from '../../../src/contract/preferences.ts';
import { openDashboard } from '../../support/browser.ts';
import { testHost } from '../../support/platform.ts';
import { call, deployTiny } from '../../support/tiny-bot.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/**
 * A zone in which it is another day than in UTC now, an instant of one of these days that is none of the other, and what
 * both days have of it and of an amount of now.
 */
function otherDay(now: number) {
  const midnight = Math.floor(now / DAY) * DAY;
  // Before noon in UTC it is still yesterday in the west; that day began at noon.
  if (now - midnight < 12 * HOUR)
    return { timezoneId: 'Etc/GMT+12', at: midnight - 6 * HOUR, local: '8.00', utc: '5.00' };
  // After noon it is tomorrow already in the east; that day began at 10:00.
  return { timezoneId: 'Pacific/Kiritimati', at: midnight + 9 * HOUR, local: '5.00', utc: '8.00' };
}

it('counts today where its user is, or in UTC where the user has chosen that, and says which', async ({
  onTestFinished,
}) => {
  const { timezoneId, at, local, utc } = otherDay(Date.now());
  const flow = (flow_id: string, amount: string, time: number): string => {
    const row = { _metric: 'cash_flow', flow_id, amount, currency: 'CHF', kind: 'interest' };
    return `console.log(${JSON.stringify(JSON.stringify({ ...row, time: new Date(time).toISOString() }))});`;
  };
  const host = await testHost(onTestFinished);
  const bot = `${flow('a', '3', at)}${flow('b', '5', Date.now())}setInterval(() => {}, 60_000);`;
  const { bot_id } = await deployTiny(host, { name: 'owl', bot });
  const page = await openDashboard(host, onTestFinished, { timezoneId });
  const strip = page.getByRole('region', { name: 'All bots today' });
  await strip.getByText(`+${local}`).waitFor();
  await strip.getByTitle(`Since midnight in ${timezoneId}, realised, after fees`).waitFor();
  expect(await strip.getByText('UTC').count()).toBe(0);
  await page.getByRole('row').filter({ hasText: 'owl' }).getByText(`+${local}`).waitFor();
  await page.goto(`${host.url}/bots/${bot_id}`);
  await page.getByText(`+${local}`).first().waitFor();
  await page.goto(`${host.url}/portfolio`);
  await page.getByText(`Days are those of ${timezoneId}.`).waitFor();

  await page.goto(`${host.url}/settings/appearance`);
  await page.getByText('A day of profit begins at midnight of this clock').waitFor();
  await page.getByRole('radio', { name: 'UTC' }).check();
  await expect.poll(async () => (await call<Preferences>(host, 'GET', '/api/v1/preferences')).zone).toBe('UTC');
  await page.goto(host.url);
  await strip.getByText(`+${utc}`).waitFor();
  await strip.getByText('UTC', { exact: true }).waitFor();
  await page.goto(`${host.url}/portfolio`);
  await page.getByText('Days are UTC days.').waitFor();
});
