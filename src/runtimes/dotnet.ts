import type { RuntimeDescriptor, RuntimeSummary } from './runtime.ts';

export const DOTNET_SUMMARY = {
  family: 'dotnet',
  label: '.NET',
  runtimes: {
    dotnet8: { aliases: [], least: '8', image: 'mcr.microsoft.com/dotnet/runtime:8.0' },
  },
  languages: [],
} as const satisfies RuntimeSummary;

/** Bots that are published .NET assemblies. */
export const DOTNET: RuntimeDescriptor = {
  summary: DOTNET_SUMMARY,
  interpreter: {
    program: 'dotnet',
    ask: ['--list-runtimes'],
    read: (output, program) =>
      [...output.matchAll(/^Microsoft\.NETCore\.App (\S+)/gm)].map((match) => ({ program, version: match[1] ?? '' })),
    describe: ({ version }) => `.NET ${version}`,
    needs: (least) => `the .NET ${least} runtime`,
    install: (least) =>
      `Install the .NET ${least} runtime (https://dotnet.microsoft.com/download) and start the bot again.`,
    site: 'dotnet.microsoft.com',
    name: '.NET',
  },
  entry: { extension: '.dll', hint: 'Write the path of the published .dll.' },
  args: ({ file }) => [file],
  // .NET reserves too much for any useful bound.
  reservedMb: null,
};
