import { setTimeout as wait } from 'node:timers/promises';
import type { Runtime } from '../../contract/custom-bot.ts';
import { PlatformError } from '../../contract/errors.ts';
import type { ImageInfo } from '../../contract/host.ts';
import { canonicalRuntime, DEFAULT_RUNTIME, RUNTIME_NAMES } from '../../runtimes/registry.ts';
import { formatBytes } from '../../shared/format-quantity.ts';
import type { Client, Command, Progress } from '../command.ts';
import { UsageError } from '../usage-error.ts';

const LOOK_MS = 300;

function runtimeOf(text: string): Runtime {
  const runtime = canonicalRuntime(text);
  if (runtime !== null) return runtime;
  throw new UsageError(`"${text}" is not a runtime. The runtimes are ${RUNTIME_NAMES.join(', ')}.`);
}

function fractionOf(layers: readonly { readonly current: number; readonly total: number | null }[]): number | null {
  const total = layers.reduce((sum, one) => sum + (one.total ?? 0), 0);
  return total === 0 ? null : layers.reduce((sum, one) => sum + one.current, 0) / total;
}

async function fetched(host: Client, runtime: Runtime, progress: Progress): Promise<ImageInfo> {
  let image = await host.call('images.pull', { runtime });
  while (image.pull !== null) {
    progress.update(`${image.image}: ${image.pull.text}`, fractionOf(image.pull.layers));
    await wait(LOOK_MS);
    const { items } = await host.call('images.list', {});
    image = items.find((one) => one.runtime === runtime) ?? image;
  }
  progress.done();
  return image;
}

export const command: Command = {
  positionals: ['<runtime>'],
  options: {},
  description:
    'Fetches the image in which containers run the bots of a runtime, and checks that it has what they need.',
  examples: [`platform images pull ${DEFAULT_RUNTIME}`],
  async run({ client, out }, args) {
    const runtime = runtimeOf(args.positionals[0] ?? '');
    const host = await client();
    const image = await fetched(host, runtime, out.progress());
    if (image.problem !== null)
      throw new PlatformError('ENGINE_UNAVAILABLE', image.problem.message, { hint: image.problem.hint ?? undefined });
    out.data(image);
    out.line(`${image.image} is here (${formatBytes(image.size_bytes ?? 0)}): ${runtime} bots run in it.`);
    return 0;
  },
};
