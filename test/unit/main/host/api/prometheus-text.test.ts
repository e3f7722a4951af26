import { describe, expect, it } from 'vitest';
import { exposition } from '../../../../../src/main/host/api/prometheus-text.ts';
import { readPrometheusText } from '../../../../support/prometheus-text.ts';

const family = (samples: readonly { labels: Record<string, string>; value: number }[]) =>
  ({ name: 'platform_x', type: 'gauge', help: 'Says \\ and\nmore.', samples }) as const;

describe('the text of metrics', () => {
  it('reads back as what was written, whatever a name holds', () => {
    const names = ['a "quote"', 'back\\slash', 'line\nfeed', '} 1\nplatform_bot_up{bot="x"} 0', 'é 🤖 =,{}', '\\n', ''];
    const samples = names.map((bot, n) => ({ labels: { bot_id: `bot_${n}`, bot }, value: n }));
    const text = exposition([family(samples)]);
    expect(readPrometheusText(text)).toEqual(samples.map((one) => ({ name: 'platform_x', ...one })));
    expect(text.split('\n')).toHaveLength(names.length + 3);
  });

  it('writes numbers as the format wants them', () => {
    const values = [0, 1.5, -2, 1e21, 1e-9, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN];
    const text = exposition([family(values.map((value, n) => ({ labels: { n: String(n) }, value })))]);
    expect(readPrometheusText(text).map(({ value }) => value)).toEqual(values);
  });

  it('leaves out a metric without samples', () => {
    expect(exposition([family([])])).toBe('');
    expect(exposition([family([{ labels: {}, value: 1 }])])).toContain('\nplatform_x 1\n');
  });
});

describe('the reader of these tests', () => {
  it.each([
    'platform_x 1\n',
    '# HELP x h\n# TYPE x gauge\nx 1',
    '# HELP x h\n# TYPE x gauge\nx{a="1"} 1\nx{a="1"} 2\n',
    '# HELP x h\n# TYPE x counter\nx 1\n',
    '# HELP x h\n# TYPE x gauge\nx{a="1""} 1\n',
    '# HELP x h\n# TYPE x gauge\nx one\n',
    '# HELP x h\n# TYPE x gauge\nx 1\n# HELP x h\n# TYPE x gauge\n',
  ])('refuses %j', (text) => {
    expect(() => readPrometheusText(text)).toThrow();
  });
});
