import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Adapter } from '../../src/cli/sdk-verify/adapter.ts';
import { compile } from './compile.ts';
import { ROOT } from './platform.ts';
import { tempDir } from './temp.ts';

const run = promisify(execFile);
export const RESOURCES = join(ROOT, 'resources');
const ADAPTERS = join(RESOURCES, 'sdk/adapters');

/** An SDK of the product, by the language of its column in docs/sdks.md. */
export interface SdkAdapter {
  readonly language: string;
  /** The program without which its tests are skipped. */
  readonly toolchain: readonly [program: string, ...args: string[]];
  /** Builds the adapter, if it has to be built, and gives its command. */
  readonly build: () => Promise<Pick<Adapter, 'program' | 'args'>>;
}

export const NODE_ADAPTER: SdkAdapter = {
  language: 'Node',
  toolchain: ['node', '--version'],
  build: async () => ({ program: process.execPath, args: [join(ADAPTERS, 'adapter.mjs')] }),
};

export const PYTHON_ADAPTER: SdkAdapter = {
  language: 'Python',
  toolchain: ['python3', '--version'],
  build: async () => ({ program: 'python3', args: ['-B', join(ADAPTERS, 'adapter.py')] }),
};

export const CPP_ADAPTER: SdkAdapter = {
  language: 'C++',
  toolchain: ['g++', '--version'],
  build: async () => {
    const program = join(tempDir('cpp-adapter-'), 'adapter');
    const flags = ['-std=c++17', '-O0', '-Wall', '-Wextra', '-Werror', '-pthread'];
    await compile(join(ADAPTERS, 'adapter.cpp'), program, flags);
    return { program, args: [] };
  },
};

export const GO_ADAPTER: SdkAdapter = {
  language: 'Go',
  toolchain: ['go', 'version'],
  build: async () => {
    const program = join(tempDir('go-adapter-'), 'adapter');
    // Neither the network nor a C compiler is asked for anything.
    const env = { ...process.env, GOPROXY: 'off', GOFLAGS: '-mod=mod', CGO_ENABLED: '0' };
    await run('go', ['build', '-o', program, '.'], { cwd: join(ADAPTERS, 'go'), env });
    return { program, args: [] };
  },
};

/** Every SDK, in the order of the table. */
export const SDK_ADAPTERS: readonly SdkAdapter[] = [PYTHON_ADAPTER, NODE_ADAPTER, CPP_ADAPTER, GO_ADAPTER];

export function isHere({ toolchain: [program, ...args] }: SdkAdapter): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

/** An adapter as its command was typed in an empty folder. */
export async function built({ build }: SdkAdapter): Promise<Adapter> {
  return { ...(await build()), cwd: tempDir('sdk-adapter-'), env: process.env };
}
