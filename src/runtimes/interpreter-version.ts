import type { FoundVersion } from './runtime.ts';

/** Reads the path of a program and its version, on two lines among others such as warnings. */
export function readPathAndVersion(output: string): readonly FoundVersion[] {
  const [, program, version] = /^(\S.*?)\r?\n(\d+(?:\.\d+)+\S*)\s*$/m.exec(output) ?? [];
  return program === undefined || version === undefined ? [] : [{ program, version }];
}

/** Name of a program on a system. */
export function programName(
  { program, windowsProgram }: { readonly program: string; readonly windowsProgram?: string },
  platform: string,
): string {
  return platform === 'win32' ? (windowsProgram ?? program) : program;
}

/** True when a version such as `3.12.1` is at least `3.11`. */
export function atLeast(version: string, least: string): boolean {
  const have = version.split('.').map(Number);
  for (const [at, wanted] of least.split('.').map(Number).entries()) {
    const part = have[at] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}
