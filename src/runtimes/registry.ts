import type { StrategyId } from '../contract/strategies.ts';
import { SUMMARIES } from './all.ts';
import type { EditorLanguage, ProjectTemplate, RuntimeRelease, RuntimeSummary } from './runtime.ts';

type Known = (typeof SUMMARIES)[number];

/** Canonical ids of runtimes. */
export type RuntimeId = { [F in Known['family']]: keyof Extract<Known, { family: F }>['runtimes'] }[Known['family']];
/** Names of project templates. */
export type TemplateName = Extract<Known, { templates: object }>['templates'][number]['name'];

const FAMILIES: readonly RuntimeSummary[] = SUMMARIES;

/** Every runtime by its canonical id. */
export const RUNTIMES: ReadonlyMap<RuntimeId, RuntimeRelease> = new Map(
  FAMILIES.flatMap(({ runtimes }) => Object.entries(runtimes) as [RuntimeId, RuntimeRelease][]),
);

export const RUNTIME_IDS = [...RUNTIMES.keys()] as [RuntimeId, ...RuntimeId[]];
/** The runtime of new projects that name none. */
export const [DEFAULT_RUNTIME] = RUNTIME_IDS;

const BY_NAME: ReadonlyMap<string, RuntimeId> = new Map(
  [...RUNTIMES].flatMap(([id, { aliases }]) => [id, ...aliases].map((name) => [name, id] as const)),
);

/** Every accepted spelling of a runtime, canonical ids and aliases. */
export const RUNTIME_NAMES: readonly string[] = [...BY_NAME.keys()];

/** The canonical id of a runtime name or alias; null for a name that is no runtime. */
export function canonicalRuntime(name: string): RuntimeId | null {
  return BY_NAME.get(name) ?? null;
}

/** Templates of new projects, by name. */
export const TEMPLATES: ReadonlyMap<TemplateName, ProjectTemplate> = new Map(
  FAMILIES.flatMap(({ templates = [] }) => templates.map((one) => [one.name as TemplateName, one] as const)),
);

export const TEMPLATE_NAMES = [...TEMPLATES.keys()] as [TemplateName, ...TemplateName[]];
export const [DEFAULT_TEMPLATE] = TEMPLATE_NAMES;

/** The template of a strategy in the language of another template, or in the first language that has the strategy. */
export function templateOf(strategy: StrategyId, like: TemplateName): TemplateName {
  const found = TEMPLATE_NAMES.filter((name) => TEMPLATES.get(name)?.strategy === strategy);
  const label = TEMPLATES.get(like)?.label;
  return found.find((name) => TEMPLATES.get(name)?.label === label) ?? found[0] ?? DEFAULT_TEMPLATE;
}

/** Languages of source files that the editor knows on account of the runtimes. */
export const LANGUAGES: readonly EditorLanguage[] = FAMILIES.flatMap(({ languages }) => languages);
