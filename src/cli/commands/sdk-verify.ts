import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from '../command.ts';
import { UsageError } from '../usage-error.ts';

export const command: Command = {
  positionals: ['<command>', '[argument...]'],
  options: {
    part: { type: 'string', value: 'PART', help: 'Only vectors, state, stop, server, run or warm' },
  },
  description:
    'Drives the SDK of any language through an adapter, a small program that calls its functions, and compares what comes with the contract: the bytes it writes, its query server, query runs, the start ahead of a question, the stop hook, and state under kills. Ends with 0, with 8 when functions are missing, with 9 when something does not hold.',
  examples: ['platform sdk verify -- ./my-adapter', 'platform sdk verify --part server -- ./my-adapter'],
  async run(context, args) {
    const { PARTS, verifySdk } = await import('../sdk-verify/verify.ts');
    const { AdapterMissing } = await import('../sdk-verify/adapter.ts');
    const { isAdapter } = await import('../sdk-verify/is-adapter.ts');
    const { exitCodeOfChecks, showChecks, toldChecks } = await import('../show-checks.ts');
    const { RESOURCES_DIR } = await import('../product-paths.ts');
    const { cwd, out } = context;
    const [program = '', ...rest] = args.positionals;
    const only = args.text('part');
    const part = PARTS.find((one) => one === only);
    if (only !== undefined && part === undefined)
      throw new UsageError(`--part is one of ${PARTS.join(', ')}.`, 'sdk verify');
    const adapter = { program, args: rest, cwd, env: process.env };
    const progress = out.progress();
    const work = mkdtempSync(join(tmpdir(), 'sdk-adapter-'));
    try {
      if ((part === undefined || part === 'vectors') && !(await isAdapter(adapter, work)))
        throw new UsageError(
          `${[program, ...rest].join(' ')} is no adapter: asked for a function that no SDK has, it did not write "unknown function: …" and end with exit code 64 (docs/sdks.md#adapter). A bot is no adapter: try one, of any language, with platform custom-bot verify in its folder.`,
          'sdk verify',
        );
      const told = (name: string): void => progress.update(name, null);
      const { checks, functions } = await verifySdk(
        adapter,
        RESOURCES_DIR,
        part === undefined ? { told } : { parts: [part], told },
      );
      progress.done();
      showChecks(context, checks);
      out.data({ ...toldChecks(checks), functions });
      return exitCodeOfChecks(checks);
    } catch (error) {
      if (!(error instanceof AdapterMissing)) throw error;
      throw new UsageError(
        `${error.message} Write the command as you would type it: platform sdk verify -- ./my-adapter`,
        'sdk verify',
      );
    } finally {
      progress.done();
      rmSync(work, { recursive: true, force: true });
    }
  },
};
