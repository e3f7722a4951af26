/** A parsed entry of bot-config.yaml. */
export interface Entrypoint {
  /** Path inside the package, with `/`. */
  readonly file: string;
  /** Main class of a JVM archive, null for everything else. */
  readonly mainClass: string | null;
}

const JAR_WITH_CLASS = /^(.+\.jar):([^:/\\]+)$/i;

/** Splits `<jar_path>:<MainClass>`; any other entry is a path. */
export function parseEntrypoint(entry: string): Entrypoint {
  const match = JAR_WITH_CLASS.exec(entry);
  const file = match?.[1] ?? entry;
  return { file: file.startsWith('./') ? file.slice(2) : file, mainClass: match?.[2] ?? null };
}
