import type { BotOptions } from '../../contract/bot.ts';
import { invalid, type Problem } from '../../contract/errors.ts';
import type { Engines } from '../engine/engines.ts';

/** Options that only a container can be held to. */
const CONTAINER_ONLY = ['cpus', 'tmp_mb', 'network'] as const;

/** Name of the engine for a new bot. Throws ENGINE_UNAVAILABLE when the one it asks for cannot be used now. */
export async function engineForNew(engines: Engines, options: BotOptions): Promise<string> {
  const engine = await (options.engine === undefined ? engines.choose() : engines.asked(options.engine));
  return engine.name;
}

/** Throws ENGINE_UNAVAILABLE when a bot asks for another engine that cannot be used now. The one it has need not answer. */
export async function checkAsked(engines: Engines, current: string, options?: BotOptions): Promise<void> {
  const asked = options?.engine;
  if (asked !== undefined && asked !== current) await engines.asked(asked);
}

/** Throws INVALID_REQUEST for options that the engine cannot hold a bot to: a limit that does nothing must not be set. */
export function checkEngineOptions(options: BotOptions, engine: string): void {
  if (engine !== 'process') return;
  const problems = CONTAINER_ONLY.flatMap((name): Problem[] => {
    // The usual network is no limit.
    if (options[name] === undefined || options[name] === 'bridge') return [];
    return [
      {
        path: `options.${name}`,
        message: 'needs engine docker; this bot runs as a local process',
        hint: `Leave ${name} out, or set options.engine to "docker".`,
      },
    ];
  });
  if (problems.length > 0) throw invalid('INVALID_REQUEST', problems);
}
