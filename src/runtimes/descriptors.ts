import { DESCRIPTORS } from './all.ts';
import type { RuntimeDescriptor } from './runtime.ts';

/** Needs of a runtime: its descriptor, and the oldest version of the interpreter ('' without one). */
export interface RuntimeNeeds {
  readonly descriptor: RuntimeDescriptor;
  readonly least: string;
}

const BY_ID: ReadonlyMap<string, RuntimeNeeds> = new Map(
  DESCRIPTORS.flatMap((descriptor) =>
    Object.entries(descriptor.summary.runtimes).map(([id, { least = '' }]) => [id, { descriptor, least }]),
  ),
);

/** The needs of a runtime by its canonical id; null for an unknown one. */
export function findRuntime(id: string): RuntimeNeeds | null {
  return BY_ID.get(id) ?? null;
}

/** The descriptor of a runtime that the contract has accepted. */
export function descriptorOf(id: string): RuntimeDescriptor {
  const found = findRuntime(id);
  if (found === null) throw new Error(`the runtime ${id} has no descriptor`);
  return found.descriptor;
}

/** Environment variables that every bot gets because some family asks for them. */
export const ENVIRONMENT_OF_ALL: Readonly<Record<string, string>> = Object.assign(
  {},
  ...DESCRIPTORS.map(({ environmentOfAll }) => environmentOfAll),
);
