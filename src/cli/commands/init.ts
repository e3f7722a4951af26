import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { invalid } from '../../contract/errors.ts';
import { CUSTOM_BOT_NAME } from '../../contract/limits.ts';
import type { Command } from '../command.ts';
import { quoted, typed } from '../command-name.ts';
import { RESOURCES_DIR } from '../resources.ts';
import { UsageError } from '../usage-error.ts';

const TEMPLATES = ['python', 'node', 'cpp'] as const;

/** Letters that are no letter with an accent, as they are written without them. */
const PLAIN: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', þ: 'th' };

/** A valid name made of the folder's. */
function nameFrom(folder: string): string {
  return folder
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[ßæœøłđþ]/g, (letter) => PLAIN[letter] ?? '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 50)
    .replace(/-+$/, '');
}

function fillIn(dir: string, name: string): void {
  for (const entry of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    const path = join(dir, entry);
    if (statSync(path).isFile()) writeFileSync(path, readFileSync(path, 'utf8').replaceAll('{{name}}', name));
  }
}

export const command: Command = {
  positionals: ['<dir>'],
  options: {
    template: { type: 'string', short: 't', value: 'NAME', help: `${TEMPLATES.join(', ')} (default python)` },
    name: { type: 'string', value: 'NAME', help: 'Name of the custom bot (default: that of the folder)' },
  },
  description:
    'Starts a bot project: a folder that runs, with a query program, a configuration schema and an instance file.',
  examples: ['platform init my-bot', 'platform init my-bot --template cpp'],
  async run({ cwd, name: called, out }, args) {
    const dir = resolve(cwd, args.positionals[0] ?? '');
    const template = TEMPLATES.find((one) => one === (args.text('template') ?? 'python'));
    if (template === undefined) throw new UsageError(`--template is one of ${TEMPLATES.join(', ')}.`, 'init');
    const name = args.text('name') ?? nameFrom(basename(dir));
    if (!CUSTOM_BOT_NAME.test(name)) {
      const hint = 'Give one with --name: 3 to 50 of a-z 0-9 and "-".';
      throw invalid('INVALID_REQUEST', [{ path: 'name', message: `"${name}" is no name for a custom bot`, hint }]);
    }
    if (existsSync(dir) && readdirSync(dir).length > 0) {
      const hint = 'Choose another folder; nothing is ever overwritten.';
      throw invalid('INVALID_REQUEST', [{ path: dir, message: 'is not empty', hint }]);
    }
    mkdirSync(dir, { recursive: true });
    cpSync(join(RESOURCES_DIR, 'templates', template), dir, { recursive: true });
    fillIn(dir, name);
    // Headers are needed to build; the other SDKs are found by the runners.
    if (template === 'cpp')
      cpSync(join(RESOURCES_DIR, 'sdk/cpp/include'), join(dir, 'sdk/include'), { recursive: true });
    out.data({ dir, name, template });
    out.line(`Made ${name} in ${dir}.`);
    out.line();
    const folder = args.positionals[0] ?? '';
    const steps: [string, string][] = [
      [typed(called, 'dev', folder), 'run it here'],
      [typed(called, 'custom-bot deploy', folder), 'publish it'],
      [typed(called, 'bot deploy', join(folder, 'instance.json')), 'create a bot; it starts'],
    ];
    if (template === 'cpp') steps.unshift([`make -C ${quoted(folder)}`, 'build it']);
    const widest = Math.max(...steps.map(([step]) => step.length));
    out.line('Next:');
    for (const [step, what] of steps) out.line(`  ${step.padEnd(widest)}  ${what}`);
    return 0;
  },
};
