import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { type EngineOfBench, IMAGE } from './engine.ts';
import { cpuSeconds, named, naming } from './processes.ts';

/** A container whose output Docker's default log driver has taken. */
export interface JsonFileLog {
  readonly container: string;
  /** From the first line in the file to the last, without the start of the container. */
  readonly ms: number;
  /** Processor time of what carried the lines: the daemon and the container's shim, not the program. */
  readonly cpuSeconds: number;
  readonly bytes: number;
}

function endsWith(file: string, text: string): boolean {
  const fd = openSync(file, 'r');
  try {
    const { size } = fstatSync(fd);
    const tail = Buffer.alloc(Math.min(size, 4096));
    readSync(fd, tail, 0, tail.length, size - tail.length);
    return tail.includes(text);
  } finally {
    closeSync(fd);
  }
}

const END = 'that-was-all';

/** Has a container print a file; it is left running, so that its log can be read. */
export async function logByJsonFile(engine: EngineOfBench, folder: string, name: string): Promise<JsonFileLog> {
  const program = `sleep 0.3; cat /in/${name}; echo ${END}; exec sleep 1000000`;
  const [daemon = 0] = named('dockerd');
  const before = cpuSeconds(daemon);
  const mount = ['-v', `${folder}:/in:ro`, '--log-driver', 'json-file', '--network', 'none'];
  const container = await engine.docker('run', '-d', '--init', ...mount, IMAGE, 'sh', '-c', program);
  const file = await engine.docker('inspect', '-f', '{{.LogPath}}', container);
  while (!existsSync(file) || statSync(file).size === 0) await wait(1);
  const begun = performance.now();
  while (!endsWith(file, END)) await wait(5);
  const ms = performance.now() - begun;
  const shims = naming(container).reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  return { container, ms, cpuSeconds: cpuSeconds(daemon) - before + shims, bytes: statSync(file).size };
}
