import { describe, expect, it } from 'vitest';
import { engineNames, operationNamesOutOfPlace } from '../../support/structure-rules.ts';

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
    ['main/desktop/host-api.ts', "request(address, OPERATIONS['bots.list'].path);"],
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
