import { execFileSync } from 'node:child_process';

const READ = `
import json, sys
try:
    import tomllib
except ImportError:
    from pip._vendor import tomli as tomllib
print(json.dumps(tomllib.loads(sys.stdin.read())))
`;

/** TOML as a reader that is not ours understands it. */
export function readToml(text: string): Record<string, unknown> {
  return JSON.parse(execFileSync('python3', ['-c', READ], { input: text, encoding: 'utf8' }));
}
