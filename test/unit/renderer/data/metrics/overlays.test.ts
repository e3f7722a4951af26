import { afterEach, expect, it } from 'vitest';
import { layOver, useOverlays } from '../../../../../src/renderer/data/metrics/overlays.ts';

const laid = () => useOverlays.getState().onChart;
const over = (symbol: string) => ({ botId: 'bot_2', series: { type: 'price', field: 'value', symbol } });

afterEach(() => useOverlays.setState({ onChart: {} }));

it('one series lies over a chart, until another or none does', () => {
  layOver('bot_1', 'price AAPL', over('MSFT'));
  layOver('bot_1', 'price AAPL', over('TSLA'));
  layOver('bot_3', 'price AAPL', over('MSFT'));
  expect(Object.values(laid())).toEqual([over('TSLA'), over('MSFT')]);
  layOver('bot_1', 'price AAPL', null);
  expect(Object.values(laid())).toEqual([over('MSFT')]);
});

it('those laid longest ago are forgotten first', () => {
  for (let at = 0; at < 250; at += 1) layOver('bot_1', `chart ${at}`, over('MSFT'));
  const charts = Object.keys(laid());
  expect(charts).toHaveLength(200);
  expect(charts.at(-1)).toContain('chart 249');
});
