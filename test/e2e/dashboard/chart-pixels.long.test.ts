import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MetricOverview } from '../../../src/contract/telemetry.ts';
import { padded } from '../../../src/renderer/components/charts/value-range.ts';
import { sharedDashboard } from '../../support/browser.ts';
import { TestHost } from '../../support/platform.ts';
import { rounds } from '../../support/proof.ts';
import { call, deployTiny } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

const COUNT = rounds(150_000, 1_000_000);
const SPAN = 240_000;
const FROM = Date.parse('2026-11-01T12:00:00Z');

/** Value of a sample: two waves, some noise, and ten samples far from their neighbours. */
const VALUE = `(at) => {
  const wave = 100 + 10 * Math.sin(at / ${COUNT} * 6 * Math.PI) + ((at * 7919) % 101) / 400;
  return at % ${COUNT / 10} === ${COUNT / 20} ? wave + (at % ${COUNT / 5} < ${COUNT / 10} ? 6 : -6) : wave;
}`;
const TIME = `(at) => ${FROM} + Math.floor(at * ${SPAN} / ${COUNT})`;

/** Prints every sample at once, each with a time of its own. */
const SOURCE = `
const [value, time] = [${VALUE}, ${TIME}];
for (let at = 0; at < ${COUNT}; at++) {
  const line = JSON.stringify({ _metric: 'price', value: value(at), timestamp: time(at) }) + '\\n';
  if (!process.stdout.write(line)) await new Promise((resolve) => process.stdout.once('drain', resolve));
}
setInterval(() => {}, 1000);
`;

const host = new TestHost();
beforeAll(async () => void (await host.start()));
afterAll(() => host.stop());
const dashboard = sharedDashboard(host);

/** First and last coloured pixel of each column of a plot; null where there is none. Axes and grid are grey. */
type Extents = readonly (readonly [number, number] | null)[];

/** Source that reads the pixels of the chart, and makes a canvas of the same size. */
const READING = `
    const over = document.querySelector('figure .u-over').getBoundingClientRect();
    const canvas = document.querySelector('figure canvas');
    const box = canvas.getBoundingClientRect();
    const [width, height] = [Math.round(over.width), Math.round(over.height)];
    const extents = (context, left, top) => {
      const { data } = context.getImageData(left, top, width, height);
      return Array.from({ length: width }, (_, x) => {
        let [first, last] = [-1, -1];
        for (let y = 0; y < height; y++) {
          const [r, g, b, a] = data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4);
          if (a < 24 || Math.max(r, g, b) - Math.min(r, g, b) < 40) continue;
          if (first < 0) first = y;
          last = y;
        }
        return first < 0 ? null : [first, last];
      });
    };
    const own = document.createElement('canvas');
    Object.assign(own, { width, height });
    const context = own.getContext('2d');
`;

/** What the chart shows, and what a canvas shows on which every sample was drawn. */
function drawn(page: Page, range: readonly [number, number]): Promise<{ shown: Extents; raw: Extents }> {
  return page.evaluate(`(() => {
    ${READING}
    const shown = extents(canvas.getContext('2d'), Math.round(over.left - box.left), Math.round(over.top - box.top));
    Object.assign(context, { strokeStyle: '#4080ff', lineWidth: 1.5, lineJoin: 'round' });
    const [value, time] = [${VALUE}, ${TIME}];
    context.beginPath();
    for (let at = 0; at < ${COUNT}; at++) {
      const x = (time(at) - ${FROM}) / ${SPAN} * width;
      context.lineTo(x, height * (${range[1]} - value(at)) / ${range[1] - range[0]});
    }
    context.stroke();
    return { shown, raw: extents(context, 0, 0) };
  })()`);
}

/**
 * What the chart shows once it draws candles of `length` ms, and what a canvas shows on which those of every sample are drawn: a
 * candle opens where the one before it closed.
 */
function drawnCandles(page: Page, range: readonly [number, number], length: number) {
  return page.evaluate<{ shown: Extents; raw: Extents }>(`(() => {
    ${READING}
    const shown = extents(canvas.getContext('2d'), Math.round(over.left - box.left), Math.round(over.top - box.top));
    const [value, time] = [${VALUE}, ${TIME}];
    const candles = [];
    for (let at = 0; at < ${COUNT}; at++) {
      const begin = Math.floor(time(at) / ${length}) * ${length};
      const now = value(at);
      let candle = candles[candles.length - 1];
      if (candle === undefined || candle.begin !== begin) {
        const open = candle === undefined ? now : candle.close;
        candle = { begin, open, low: open, high: open, close: open };
        candles.push(candle);
      }
      Object.assign(candle, { low: Math.min(candle.low, now), high: Math.max(candle.high, now), close: now });
    }
    context.fillStyle = '#4080ff';
    const y = (price) => height * (${range[1]} - price) / ${range[1] - range[0]};
    for (const { begin, open, low, high, close } of candles) {
      const [left, right] = [begin, begin + ${length}].map((at) => (at - ${FROM}) / ${SPAN} * width);
      const body = Math.round((right - left) * 0.7);
      const middle = Math.round((left + right) / 2);
      context.fillRect(middle, y(high), 1, y(low) - y(high));
      const [top, bottom] = [y(Math.max(open, close)), y(Math.min(open, close))];
      context.fillRect(middle - body / 2, top, body, Math.max(1, bottom - top));
    }
    return { shown, raw: extents(context, 0, 0) };
  })()`);
}

/** A bucket is a little wider than a column, the chart draws at whole pixels, and the edges of lines are smoothed. */
const NEAR = 2;

/** Columns whose pixels in `one` are beyond those that `other` has in the columns around them. */
function beyond(one: Extents, other: Extents): string[] {
  return one.flatMap((extent, x) => {
    if (extent === null) return [];
    const around = other.slice(Math.max(0, x - NEAR), x + NEAR + 1).filter((found) => found !== null);
    const top = Math.min(...around.map(([first]) => first)) - NEAR;
    const bottom = Math.max(...around.map(([, last]) => last)) + NEAR;
    return extent[0] < top || extent[1] > bottom ? [`${x}: ${extent} beyond ${top},${bottom}`] : [];
  });
}

it(`draws ${COUNT} samples of four minutes, and their candles, as a canvas with every sample does`, async ({
  onTestFinished,
}) => {
  const { bot_id: id } = await deployTiny(host, { name: 'fast', bot: SOURCE });
  await until('every sample', async () => {
    const { types } = await call<MetricOverview>(host, 'GET', `/api/v1/bots/${id}/metrics`);
    return types[0]?.count === COUNT;
  });
  const [from, to] = [FROM, FROM + SPAN].map((time) => new Date(time).toISOString());
  const page = await dashboard(onTestFinished, { path: `/bots/${id}/metrics?from=${from}&to=${to}` });
  const figure = page.getByRole('figure').first();
  await figure.getByText(`${COUNT.toLocaleString('en')} samples`).waitFor({ state: 'attached' });
  await figure.locator('canvas').waitFor();

  const value: (at: number) => number = new Function(`return ${VALUE}`)();
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < COUNT; at++) [low, high] = [Math.min(low, value(at)), Math.max(high, value(at))];
  const { shown, raw } = await drawn(page, padded(low, high));
  expect(raw.filter((extent) => extent !== null).length, 'columns with samples').toBe(raw.length);
  expect(beyond(raw, shown), 'of the samples, not shown').toEqual([]);
  expect(beyond(shown, raw), 'shown, without a sample').toEqual([]);
  expect(await figure.getByText('average').count(), 'said of samples as they were sent').toBe(0);

  await figure.getByRole('button', { name: 'Draw price as candles' }).click();
  await figure.getByText('5 s candles').waitFor();
  const candles = await drawnCandles(page, padded(low, high), 5000);
  const columns = candles.raw.filter((extent) => extent !== null).length;
  expect(columns, 'columns with candles').toBeGreaterThan(candles.raw.length / 2);
  expect(beyond(candles.raw, candles.shown), 'of the candles, not shown').toEqual([]);
  expect(beyond(candles.shown, candles.raw), 'shown, without a candle').toEqual([]);
});
