import type { BotOptions } from '../../../contract/bot.ts';
import { ENGINE_OPTIONS } from '../../../contract/engine-choices.ts';
import { invalid, type Problem } from '../../../contract/errors.ts';
import type { Engines } from '../engine/engines.ts';

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

/** Throws INVALID_REQUEST for options that the engine cannot enforce: a limit that does nothing must not be set. */
export function checkEngineOptions(engines: Engines, options: BotOptions, engine: string): void {
  const holds = engines.all().find(({ name }) => name === engine)?.traits.options ?? ENGINE_OPTIONS;
  const problems = ENGINE_OPTIONS.flatMap((name): Problem[] => {
    // The usual network is no limit.
    if (holds.includes(name) || options[name] === undefined || options[name] === 'bridge') return [];
    const others = engines.all().flatMap((one) => (one.traits.options.includes(name) ? [one.name] : []));
    const instead =
      others.length === 0 ? '' : `, or set options.engine to ${others.map((one) => `"${one}"`).join(' or ')}`;
    return [
      {
        path: `options.${name}`,
        message: `is not supported by engine ${engine}, which runs this bot`,
        hint: `Leave ${name} out${instead}.`,
      },
    ];
  });
  if (problems.length > 0) throw invalid('INVALID_REQUEST', problems);
}
