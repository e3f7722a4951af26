import type { RuntimeDescriptor, RuntimeSummary } from './runtime.ts';

const DEBIAN = 'debian:trixie-slim';

export const NATIVE_SUMMARY = {
  family: 'native',
  label: 'C++ and other compiled languages',
  runtimes: {
    gcc13: { aliases: ['cpp-gcc13'], image: DEBIAN },
    'rust-stable': { aliases: [], image: DEBIAN },
    ghc96: { aliases: [], image: DEBIAN },
    binary: { aliases: [], image: DEBIAN },
  },
  templates: [
    {
      name: 'cpp',
      label: 'C++ (built with make)',
      strategy: 'empty',
      build: (folder) => `make -C ${folder}`,
      // Headers are needed to build; the other SDKs are found by the runners.
      copies: [{ from: 'sdk/cpp/include', to: 'sdk/include' }],
    },
  ],
  languages: [{ id: 'cpp', extensions: ['.cpp', '.cc', '.cxx', '.hpp', '.hh', '.h'] }],
} as const satisfies RuntimeSummary;

/** Bots that are programs themselves, whatever compiler made them. */
export const NATIVE: RuntimeDescriptor = {
  summary: NATIVE_SUMMARY,
  interpreter: null,
  args: () => [],
  reservedMb: 256,
  failure: { outOfMemory: [/\b(std::bad_alloc)\b/] },
  doctor: {
    id: 'compiler',
    name: 'C++ compiler',
    why: 'Only building C++ bots here needs it; running them does not.',
    program: 'c++',
    args: ['--version'],
    advice: 'Building C++ bots needs g++, make and nlohmann-json3-dev.',
    also: { program: 'make', args: ['--version'], advice: 'The examples are built with make.' },
  },
};
