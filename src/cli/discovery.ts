import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Discovery } from '../contract/host.ts';
import { isJsonObject } from '../isomorphic/json.ts';

/** What `host.json` of a data folder says (wire.md section 1); null without a host, or for a file of another kind. */
export function readDiscovery(dataDir: string): Discovery | null {
  let text: string;
  try {
    text = readFileSync(join(dataDir, 'host.json'), 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) return null;
  const { url, port, pid, started_at, version, token } = value;
  if (typeof url !== 'string' || typeof token !== 'string' || typeof pid !== 'number') return null;
  return { url, token, pid, port: Number(port), started_at: String(started_at), version: String(version) };
}
