import { cpSync, existsSync, globSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { nodePackage, nodeProgram } from '../../../src/node/bundled-node.ts';
import { ELECTRON, hiddenApp, hostsOn } from '../../support/desktop.ts';
import { pidsUnder, procText, ROOT } from '../../support/platform.ts';
import { tempDir } from '../../support/temp.ts';
import { botUntil, deployTiny, lineUntil } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

const RUNS = { name: 'runs', bot: "console.log('up'); setInterval(() => undefined, 1000);" };

/** Only what Electron itself loads: the archive of an installed app, as the folder that the double takes for one. */
const IN_ARCHIVE = ['package.json', 'out/main/index.js', 'out/main/chunks/**/*.js', 'out/preload/index.cjs'];

/** Puts the files of the installers' configuration where an installed app has them; `resources` is the folder for them. */
async function install(resources: string): Promise<void> {
  const { default: config } = await import(pathToFileURL(join(ROOT, 'installers/electron-builder.config.mjs')).href);
  const copied = (patterns: readonly string[], to: string): void => {
    for (const file of globSync([...patterns], { cwd: ROOT })) {
      mkdirSync(dirname(join(resources, to, file)), { recursive: true });
      cpSync(join(ROOT, file), join(resources, to, file), { recursive: true });
    }
  };
  copied(IN_ARCHIVE, 'app.asar');
  copied(config.asarUnpack, 'app.asar.unpacked');
  symlinkSync(join(ROOT, 'node_modules', nodePackage(process.platform, process.arch)), join(resources, 'node'));
}

// Electron itself takes an archive and checks it, which only packing makes.
describe.skipIf(ELECTRON.isReal)('an installed app (the double of Electron)', () => {
  it('runs its host on the packed Node, from files beside the archive alone, which may be exchanged meanwhile', async ({
    onTestFinished,
  }) => {
    const resources = join(tempDir('platform-packed-'), 'resources');
    await install(resources);
    const dataDir = tempDir('platform-packed-data-');
    const root = join(resources, 'app.asar');
    const app = await hiddenApp(onTestFinished, dataDir, { root, flags: [] }).ready();
    const [pid = 0] = hostsOn(dataDir);
    expect(procText(pid, 'cmdline').split('\0').slice(0, 2)).toEqual([
      nodeProgram(join(resources, 'node'), process.platform),
      join(resources, 'app.asar.unpacked/out/main/serve.js'),
    ]);
    const { bot_id } = await deployTiny(app, RUNS);
    const { run_id } = await botUntil(app, bot_id, 'the bot to run', ({ status }) => status === 'running');
    // Its launcher runs first, and the bot says that it runs, too.
    await lineUntil(app, bot_id, 'up');
    const programs = pidsUnder(dataDir);
    expect(programs).not.toEqual([]);
    // The dashboard, too, is one of these files.
    expect((await app.fetch('/')).status).toBe(200);

    // As a package manager installs a new version while the app runs: the app is killed on the way, the host ends in order.
    rmSync(resources, { recursive: true });
    await install(resources);
    app.signal('SIGKILL');
    await until('the host to end', () => hostsOn(dataDir).length === 0);
    expect([existsSync(join(dataDir, 'host.json')), pidsUnder(dataDir)]).toEqual([false, programs]);
    const next = await hiddenApp(onTestFinished, dataDir, { root, flags: [] }).ready();
    expect((await botUntil(next, bot_id, 'the bot', ({ status }) => status === 'running')).run_id).toBe(run_id);
    next.signal('SIGTERM');
    expect(await next.ended()).toBe(0);
    expect([hostsOn(dataDir), pidsUnder(dataDir)]).toEqual([[], []]);
  });
});
