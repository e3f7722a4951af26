import { DESCRIPTORS } from './all.ts';
import { BY_PACKAGE, type Interpreter, type RuntimeDescriptor } from './runtime.ts';

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

/** The interpreter that the product knows for a family; null for programs, and where the package names it. */
export function knownInterpreter({ interpreter }: Pick<RuntimeDescriptor, 'interpreter'>): Interpreter | null {
  return interpreter === BY_PACKAGE ? null : interpreter;
}

/** True for a family whose interpreter the package names. */
export function leavesInterpreter({ interpreter }: Pick<RuntimeDescriptor, 'interpreter'>): boolean {
  return interpreter === BY_PACKAGE;
}

/** Runtimes whose interpreter the package names. */
export const RUNTIMES_BY_PACKAGE: readonly string[] = DESCRIPTORS.filter(leavesInterpreter).flatMap(({ summary }) =>
  Object.keys(summary.runtimes),
);

/** Environment variables that every bot gets because some family asks for them. */
export const ENVIRONMENT_OF_ALL: Readonly<Record<string, string>> = Object.assign(
  {},
  ...DESCRIPTORS.map(({ environmentOfAll }) => environmentOfAll),
);
