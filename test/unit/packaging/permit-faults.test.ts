import { describe, expect, it } from 'vitest';
import { readBotConfig } from '../../../src/packaging/bot-config.ts';
import { permitFaults } from '../../../src/packaging/permit-faults.ts';

const BASE = `name: my-bot
version: "1.0.0"
type: realtime
runtime: python311
entrypoints: {bot: main.py}
schema: {bot: bot-schema.json}
`;

const problemsOf = (permits: string) => readBotConfig(`${BASE}permits: ${permits}\n`).problems;
const ofHost = (host: string) => problemsOf(`{network: [{host: ${JSON.stringify(host)}, port: 443, tls: true}]}`);

describe('permits of bot-config.yaml', () => {
  it('are kept as they were written', () => {
    const text =
      '{network: [{host: "*.kraken.com", port: 443, tls: true}], local: [7497], secrets: [KEY], memory_mb: 300}';
    expect(readBotConfig(`${BASE}permits: ${text}\n`).config?.permits).toEqual({
      network: [{ host: '*.kraken.com', port: 443, tls: true }],
      local: [7497],
      secrets: ['KEY'],
      memory_mb: 300,
    });
  });

  it.each(['api.kraken.com', '*.kraken.com', '*.s3.kraken.com', 'xn--bcher-kva.example', 'a.b.c.d.example.com'])(
    'name the host %s',
    (host) => {
      expect(ofHost(host)).toEqual([]);
    },
  );

  it.each([
    ...[
      '127.0.0.1',
      '0x7f.1',
      '2130706433',
      '1.2.3.0x4',
      '::1',
      '[::1]',
      'localhost',
      'API.kraken.com',
      'api.kraken.com.',
    ],
    ...[
      '*',
      '*.',
      '*.com',
      '*.*.kraken.com',
      'a.*.kraken.com',
      '**.kraken.com',
      '*kraken.com',
      '.kraken.com',
      'a..b.com',
      '-a.com',
    ],
    ...['a_b.com', 'a.com:443', 'https://a.com', 'a.com/', 'user@a.com', 'bücher.example', 'a b.com', 'a.com\n', ''],
    `${'a.'.repeat(130)}com`,
    `${'a'.repeat(64)}.com`,
  ])('refuse the host %j, and say where it stands', (host) => {
    expect(ofHost(host)).toEqual([expect.objectContaining({ line: 7, file: 'bot-config.yaml' })]);
  });

  it.each(['*.co.uk', '*.github.io', '*.s3.amazonaws.com', '*.com.au', '*.pages.dev'])(
    'refuse %s, below which anybody can have a name',
    (host) => {
      const [problem, ...more] = ofHost(host);
      expect(more).toEqual([]);
      expect(problem?.message).toContain('names of strangers');
      expect(problem?.hint).toContain(`api.example${host.slice(1)}`);
    },
  );

  it.each([
    ['a misspelt field', '{netwrok: []}', 'permits has no field "netwrok"'],
    [
      'a misspelt field of a destination',
      '{network: [{host: a.com, port: 1, tls: true, tsl: true}]}',
      'has no field "tsl"',
    ],
    ['a destination without tls', '{network: [{host: a.com, port: 443}]}', 'permits.network.0.tls is missing'],
    ['port 0', '{network: [{host: a.com, port: 0, tls: true}]}', 'a port is 1 to 65535'],
    ['a port as text', '{local: ["7497"]}', 'must be'],
    ['a list in place of fields', '[]', 'permits must be a group of fields'],
    ['too little memory', '{memory_mb: 1}', 'at least 16 MB'],
    ['an odd secret', '{secrets: ["a b"]}', 'a name has up to 64'],
    ['__proto__', '{__proto__: {network: []}}', 'permits has no field "__proto__"'],
  ])('refuse %s', (_, text, said) => {
    const problems = problemsOf(text);
    expect(problems.map(({ message }) => message).join('\n')).toContain(said);
    expect(problems[0]?.hint).not.toContain('list of words');
  });

  it('refuse what stands there twice', () => {
    const permits = {
      network: [
        { host: 'a.com', port: 443, tls: true },
        { host: 'a.com', port: 443, tls: false },
      ],
      local: [1, 2, 1],
      secrets: ['A', 'A'],
    };
    expect(permitFaults(permits).map(({ path }) => path.join('.'))).toEqual([
      'permits.network.1',
      'permits.local.2',
      'permits.secrets.1',
    ]);
  });
});
