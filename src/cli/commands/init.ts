import { join, resolve } from 'node:path';
import { createProject } from '../../project/create-project.ts';
import { READY_VIEWS } from '../../project/ready-view.ts';
import { DEFAULT_TEMPLATE, TEMPLATE_NAMES, TEMPLATES, type TemplateName } from '../../runtimes/registry.ts';
import type { Command } from '../command.ts';
import { quoted, typed } from '../copyable-command.ts';
import { RESOURCES_DIR } from '../product-paths.ts';
import { UsageError } from '../usage-error.ts';

const isEmpty = (name: TemplateName): boolean => TEMPLATES.get(name)?.strategy === 'empty';
const LANGUAGES = TEMPLATE_NAMES.filter(isEmpty).join(', ');
const WITH_STRATEGY = TEMPLATE_NAMES.find((name) => !isEmpty(name));

export const command: Command = {
  positionals: ['<dir>'],
  options: {
    template: {
      type: 'string',
      short: 't',
      value: 'NAME',
      help: `${LANGUAGES}; strategies: ${WITH_STRATEGY}, …`,
    },
    name: { type: 'string', value: 'NAME', help: 'Name of the custom bot (default: that of the folder)' },
    view: { type: 'string', value: 'NAME', help: `A screen of its own to begin with: ${READY_VIEWS.join(', ')}` },
  },
  description: `Starts a bot project: a folder that runs, with a query program, a configuration schema and an instance file. The template is ${DEFAULT_TEMPLATE} unless you name another one.`,
  examples: [
    'platform init my-bot',
    `platform init my-bot --template ${WITH_STRATEGY}`,
    `platform init my-bot --view ${READY_VIEWS[0]}`,
  ],
  async run({ cwd, name: called, out }, args) {
    const dir = resolve(cwd, args.positionals[0] ?? '');
    const template = TEMPLATE_NAMES.find((one) => one === (args.text('template') ?? DEFAULT_TEMPLATE));
    if (template === undefined) throw new UsageError(`--template is one of ${TEMPLATE_NAMES.join(', ')}.`, 'init');
    const asked = args.text('view');
    const view = READY_VIEWS.find((one) => one === asked);
    if (asked !== undefined && view === undefined) {
      throw new UsageError(`--view is one of ${READY_VIEWS.join(', ')}.`, 'init');
    }
    const name = createProject({
      dir,
      template,
      name: args.text('name'),
      view,
      resourcesDir: RESOURCES_DIR,
      nameHint: 'Give one with --name: 3 to 50 of a-z 0-9 and "-".',
    });
    out.data({ dir, name, template });
    out.line(`Made ${name} in ${dir}.`);
    out.line();
    const folder = args.positionals[0] ?? '';
    const steps: [string, string][] = [
      [typed(called, 'dev', folder), 'run it here'],
      [typed(called, 'custom-bot deploy', folder), 'publish it'],
      [typed(called, 'bot deploy', join(folder, 'instance.json')), 'create a bot; it starts'],
    ];
    const build = TEMPLATES.get(template)?.build;
    if (build !== undefined) steps.unshift([build(quoted(folder)), 'build it']);
    const widest = Math.max(...steps.map(([step]) => step.length));
    out.line('Next:');
    for (const [step, what] of steps) out.line(`  ${step.padEnd(widest)}  ${what}`);
    return 0;
  },
};
