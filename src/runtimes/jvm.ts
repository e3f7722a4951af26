import type { RuntimeDescriptor, RuntimeSummary } from './runtime.ts';

const TEMURIN = 'eclipse-temurin:21-jre';

export const JVM_SUMMARY = {
  family: 'jvm',
  label: 'Java and Scala',
  runtimes: {
    scala3: { aliases: [], least: '21', image: TEMURIN },
    java21: { aliases: [], least: '21', image: TEMURIN },
  },
  languages: [],
} as const satisfies RuntimeSummary;

/** Bots that are JAR files. */
export const JVM: RuntimeDescriptor = {
  summary: JVM_SUMMARY,
  interpreter: {
    program: 'java',
    // A JAR that was built for an older release runs on an older Java.
    anyVersion: true,
    ask: ['-version'],
    read: (output, program) => {
      const version = /version "([^"]+)"/.exec(output)?.[1];
      return version === undefined ? [] : [{ program, version }];
    },
    describe: ({ version }) => `Java ${version}`,
    needs: () => 'Java',
    install: (least) =>
      `Install a Java runtime, version ${least} or later (https://adoptium.net), and start the bot again.`,
    site: 'adoptium.net',
    name: 'Java',
  },
  entry: { extension: '.jar', hasMainClass: true, hint: 'Write build/app.jar or build/app.jar:MainClass.' },
  args: ({ file, mainClass }) => (mainClass === null ? ['-jar', file] : ['-cp', file, mainClass]),
  heapFlag: (megabytes) => `-Xmx${megabytes}m`,
  temporaryFlag: (folder) => `-Djava.io.tmpdir=${folder}`,
  reservedMb: 1024,
  failure: { outOfMemory: [/\b(java\.lang\.OutOfMemoryError)/] },
  doctor: {
    id: 'java',
    name: 'Java',
    why: 'Bots for the JVM run with it where they run as local processes.',
    program: 'java',
    args: ['-version'],
    advice: 'Bots for the JVM need Java 17 or later.',
  },
};
