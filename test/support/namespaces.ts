import { spawnSync } from 'node:child_process';

const isRoot = process.getuid?.() === 0;

/** Why this machine allows no namespaces to the user of the tests; null if it does. */
export function whyNoNamespaces(): string | null {
  const tried = spawnSync('unshare', [...namespaced('-pm', '--mount-proc', '-f'), 'true'].slice(1), {
    encoding: 'utf8',
  });
  return tried.status === 0 ? null : tried.stderr.trim() || String(tried.error ?? 'unshare does not work here');
}

function namespaced(...options: string[]): string[] {
  return ['unshare', ...(isRoot ? [] : ['-Ur']), ...options];
}

/** Runs a program as process 1 of a pid namespace of its own, as a container does; all in it end with it. */
export const AS_PROCESS_1: readonly string[] = namespaced('-p', '-f', '--mount-proc', '--kill-child');

/** Runs a program where the identity of the machine is what a file holds. */
export function onMachine(idFile: string): readonly string[] {
  return [...namespaced('-m'), 'sh', '-c', `mount --bind '${idFile}' /etc/machine-id && exec "$@"`, 'sh'];
}
