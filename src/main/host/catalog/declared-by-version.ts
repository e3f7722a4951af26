import type { JsonObject } from '../../../contract/common.ts';
import { BotConfig, type CustomBotVersion, type DeclaredMode, NamedInterpreter } from '../../../contract/custom-bot.ts';
import { Permits } from '../../../contract/permits.ts';
import { descriptorOf, leavesInterpreter } from '../../../runtimes/descriptors.ts';

/** Versions that were published before the field was known may hold anything in it. */
export function declaredModes(config: JsonObject): readonly DeclaredMode[] {
  return BotConfig.shape.modes.safeParse(config.modes).data ?? [];
}

/** Null for a version that declares none, or that was published with anything else under this name. */
export function declaredPermits(config: JsonObject): Permits | null {
  return Permits.safeParse(config.permits).data ?? null;
}

/** Null for a version whose runtime has an interpreter, whatever stands under this name. */
export function declaredCommand({ runtime, config }: CustomBotVersion): NamedInterpreter | null {
  return leavesInterpreter(descriptorOf(runtime)) ? (NamedInterpreter.safeParse(config.command).data ?? null) : null;
}
