import { PlatformError } from '../contract/errors.ts';
import type { Context } from './command.ts';
import { typed } from './copyable-command.ts';
import { readDiscovery } from './discovery.ts';

/** Link to the dashboard of a host: the address to show, and a text about it. */
export interface PageLink {
  readonly address: string;
  readonly about: string;
}

/**
 * Returns the link to show. On a terminal its address logs the reader in, once: the reader started the host. Others may read a
 * file or a pipe, so that gets the plain address and the command that makes such a link.
 */
export async function pageLink(
  { out, dataDir, name }: Pick<Context, 'out' | 'dataDir' | 'name'>,
  url: string,
): Promise<PageLink> {
  const command = typed(name, 'open');
  const plain = { address: url, about: `opened logged in by: ${command}` };
  const token = readDiscovery(dataDir)?.token;
  if (out.json || !Number.isFinite(out.columns) || token === undefined) return plain;
  const { createClient } = await import('./client.ts');
  try {
    const link = await createClient({ url, credential: token }).call('auth.link', {});
    return { address: link.url, about: `logs you in once, within 10 minutes; later: ${command}` };
  } catch (error) {
    // The host runs, and the plain address leads to its log-in page: no reason to fail.
    if (error instanceof PlatformError) return plain;
    throw error;
  }
}
