import { execFileSync } from 'node:child_process';

const READ = `
import json, sys
try:
    import tomllib
except ImportError:
    from pip._vendor import tomli as tomllib
def read(text):
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
print(json.dumps([read(text) for text in json.loads(sys.stdin.read())]))
`;

/** Texts of TOML as a reader that is not ours understands them; null for one that it refuses. */
export function readTomls(texts: readonly string[]): readonly (Record<string, unknown> | null)[] {
  return JSON.parse(execFileSync('python3', ['-c', READ], { input: JSON.stringify(texts), encoding: 'utf8' }));
}

/** TOML as a reader that is not ours understands it. */
export function readToml(text: string): Record<string, unknown> {
  const [read] = readTomls([text]);
  if (read === null || read === undefined) throw new Error(`This is no TOML: ${text}`);
  return read;
}
