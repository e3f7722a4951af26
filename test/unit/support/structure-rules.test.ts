import { describe, expect, it } from 'vitest';
import {
  engineNames,
  operationNamesOutOfPlace,
  type Ranks,
  testsWithoutSource,
  wrongArrows,
} from '../../support/structure-rules.ts';

const NAMES = ['bots.start', 'bots.stop', 'bots.list', 'projects.open'];

describe('the names of operations', () => {
  it.each([
    ["if (name === 'bots.start') slow();", ["'bots.start'"]],
    ["switch (name) { case 'bots.stop': return 1; }", ["'bots.stop'"]],
    ["const CALLS = { start: 'bots.start', stop: 'bots.stop' };", ["'bots.start'", "'bots.stop'"]],
    ["const LIMITS = { 'bots.start': 5 };", ["'bots.start'"]],
    ["const SLOW = ['bots.list', 'bots.start', 'bots.stop'];", ["'bots.list'", "'bots.start'", "'bots.stop'"]],
    ["const SLOW = new Set(['bots.list', 'bots.start']);", ["'bots.list'", "'bots.start'"]],
    ["if (SLOW.has('bots.list')) wait();", ["'bots.list'"]],
    ["if (names.includes('bots.list')) wait();", ["'bots.list'"]],
    [`await socket.call(\`bots.\${verb}\`, input);`, [`\`bots.\${verb}\``]],
    ["if (operation.startsWith('projects.')) return true;", ["'projects.'"]],
    [`type Ask = \`bots.\${'start' | 'stop'}\`;`, [`\`bots.\${'start' | 'stop'}\``]],
    ["type Slow = 'bots.list' | 'bots.start';", ["'bots.list'", "'bots.start'"]],
    ['const FIRST = "bots.list";', ['"bots.list"']],
    ["await socket.call(on ? 'bots.start' : 'bots.stop', input);", ["'bots.start'", "'bots.stop'"]],
  ])('are found in %s', (text, found) => {
    expect(operationNamesOutOfPlace({ path: 'renderer/data/planted.ts', text }, NAMES)).toEqual(found);
  });

  it.each([
    ['cli/commands/bot-list.ts', "const { items } = await host.call('bots.list', {});"],
    ['renderer/data/fleet.ts', "socket.stream(\n    'bots.list',\n    {},\n  );"],
    ['main/desktop/log-in.ts', "await callHost({ url, token: null }, 'bots.list', {});"],
    ['renderer/data/fleet.ts', "type Listed = Output<'bots.list'>;"],
    ['main/desktop/host-client.ts', "request(address, OPERATIONS['bots.list'].path);"],
    ['main/host/api/bot-operations.ts', "return {\n    'bots.list': () => [],\n    'bots.start': start,\n  };"],
    ['main/host/api/bot-operations.ts', "type Mine = Pick<Handlers, 'bots.list' | 'bots.start'>;"],
    ['main/host/mcp/tools/bot-list.ts', "  needs: 'bots.list',"],
  ])('may stand in %s: %s', (path, text) => {
    expect(operationNamesOutOfPlace({ path, text }, NAMES)).toEqual([]);
  });

  it('stand in a handler or a tool only in its own folder', () => {
    for (const text of ["return { 'bots.list': () => [] };", "const tool = { needs: 'bots.list' };"])
      expect(operationNamesOutOfPlace({ path: 'cli/planted.ts', text }, NAMES)).toEqual(["'bots.list'"]);
  });
});

describe('the names of engines', () => {
  const ENGINES = { names: ['docker', 'process'], words: ['process'] };

  it.each([
    ["if (bot.engine === 'docker') wait();", ['docker']],
    ["const hint = 'Start Docker, or wait.';", ['Docker']],
    ['/** Only DOCKER can. */', ['DOCKER']],
    ["const FALLBACK = 'process';", ['process']],
    ["const hint = 'Start the host with --engine process.';", ['process']],
    [`const hint = 'Deploy with options.engine "process".';`, ['process']],
    ['<p>New ones get Docker once it runs here.</p>', ['Docker']],
  ])('are found in %s', (text, found) => {
    expect(engineNames({ path: 'planted.ts', text }, ENGINES)).toEqual(found);
  });

  it.each([
    "import { spawn } from 'node:process';",
    '// A process of this machine ends.',
    "const url = 'unix:///var/run/docker.sock'; // docs/docker.md",
    "flags['docker-host'] ?? settings.docker_host",
    "const SECRET = ['.docker'];",
  ])('are none in %s', (text) => {
    expect(engineNames({ path: 'planted.ts', text }, ENGINES)).toEqual([]);
  });
});

describe('imports', () => {
  const RANKS: Ranks = {
    rank: {
      contract: 0,
      'renderer/components': 4,
      'renderer/data': 4,
      'renderer/pages': 5,
      'main/host/control': 4,
      'main/host/auth': 5,
      'main/host/logs': 5,
      'main/host/api': 8,
      'main/desktop': 11,
      'main/index.ts': 12,
    },
    clients: {
      'renderer/components': ['contract'],
      'renderer/data': ['contract'],
      'renderer/pages': ['contract', 'renderer/components', 'renderer/data'],
      'main/desktop': ['contract'],
    },
    types: { 'main/host/control': ['main/host/auth'] },
    entries: ['main/index.ts'],
  };
  const wrong = (from: string, to: string, typeOnly = false): boolean =>
    wrongArrows([{ from, to, typeOnly }], RANKS).length > 0;

  it.each([
    // The two arrows of the renderer that were there once.
    ['renderer/components/planted.tsx', 'renderer/data/connection-and-user.ts'],
    ['renderer/data/planted.ts', 'renderer/pages/fleet/fleet-rows.ts'],
    ['renderer/pages/fleet/planted.tsx', 'main/host/api/api-types.ts'],
    ['renderer/data/planted.ts', 'renderer/components/fuzzy.ts'],
    ['main/host/auth/planted.ts', 'main/host/api/api-types.ts'],
    ['main/host/auth/planted.ts', 'main/host/logs/masker.ts'],
    ['main/host/auth/planted.ts', 'main/desktop/tray.ts'],
    ['main/host/control/planted.ts', 'main/host/auth/auth.ts'],
    ['main/host/auth/planted.ts', 'unknown/folder.ts'],
  ])('from %s to %s are found', (from, to) => {
    expect(wrong(from, to)).toBe(true);
  });

  it('of types alone are found as well, but where a folder has a reason', () => {
    expect(wrong('main/host/auth/planted.ts', 'main/host/api/api-types.ts', true)).toBe(true);
    expect(wrong('renderer/data/planted.ts', 'renderer/pages/bot/csv.ts', true)).toBe(true);
    expect(wrong('main/host/control/auth-store.ts', 'main/host/auth/auth.ts', true)).toBe(false);
  });

  it.each([
    ['renderer/pages/fleet/fleet.tsx', 'renderer/components/button.tsx'],
    ['renderer/pages/fleet/fleet.tsx', 'renderer/pages/bot/bot-page.tsx'],
    ['main/host/api/api-types.ts', 'main/host/auth/auth.ts'],
    ['main/index.ts', 'main/desktop/app.ts'],
  ])('from %s to %s may be', (from, to) => {
    expect(wrong(from, to)).toBe(false);
  });
});

it('a unit test without a source of its name is found', () => {
  const sources = new Set(['src/cli/client.ts', 'src/renderer/app/shell.tsx', 'installers/builder.config.mjs']);
  const tests = [
    'src/cli/client.test.ts',
    'src/cli/client.stream.test.ts',
    'src/cli/client.stream.long.test.ts',
    'src/renderer/app/shell.test.tsx',
    'installers/builder.config.test.ts',
  ];
  const lost = ['src/cli/client-stream.test.ts', 'src/renderer/shell.test.ts', 'src/cli/words.test.ts'];
  expect(testsWithoutSource([...tests, ...lost], sources)).toEqual(lost);
});
