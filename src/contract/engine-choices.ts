/** Names of engines and what only some of them offer. This module uses no zod, so that the page stays small. */

/** The engine that needs nothing but this machine. */
export const LOCAL_ENGINE = 'process';

/** Every engine that a bot can ask for, the one that isolates most first. */
export const ENGINE_NAMES = ['docker', 'sandbox', LOCAL_ENGINE] as const;

/** The setting `engine` of a host: what runs bots that name none. `auto`: the first one that can be used. */
export const ENGINE_SETTINGS = ['auto', ...ENGINE_NAMES] as const;
export type EngineSetting = (typeof ENGINE_SETTINGS)[number];

/** Options of a bot that some engines cannot enforce. */
export const ENGINE_OPTIONS = ['cpus', 'tmp_mb', 'network'] as const;
export type EngineOption = (typeof ENGINE_OPTIONS)[number];
