import type { Output as Answer } from '../contract/operations.ts';
import { packFolder } from '../packaging/pack.ts';
import { vendorDependencies } from '../packaging/vendor.ts';
import type { Project } from '../project/read-project.ts';
import { formatBytes } from '../shared/format-quantity.ts';
import type { Client, Progress } from './command.ts';

const WORTH_A_BAR = 1024 * 1024;
const ALMOST = 0.99;

/** Vendors, packs and uploads a project, reporting progress. */
export async function publishProject(
  client: Client,
  project: Project,
  options: { readonly vendor: boolean; readonly progress: Progress; readonly signal: AbortSignal },
): Promise<Answer<'custom_bots.publish'>> {
  const { progress, signal } = options;
  try {
    const onLine = (line: string): void => progress.update(`Dependencies: ${line}`, null);
    const vendored = options.vendor
      ? await vendorDependencies(project.dir, project.runtime, { onLine, signal })
      : { overlays: {} };
    let packed = 0;
    const made = await packFolder(project.dir, {
      keep: project.named,
      overlays: vendored.overlays,
      signal,
      onProgress: ({ bytes, totalBytes }) => {
        packed = bytes / Math.max(1, totalBytes);
      },
    });
    const stream: AsyncIterable<Uint8Array> = made.stream;
    // Bytes read may not be sent yet, so the bar is full only with the answer; a small package needs none.
    const fraction = (): number | null => (made.unpackedBytes < WORTH_A_BAR ? null : Math.min(packed, ALMOST));
    return await client.upload('custom_bots.publish', {}, stream, (sent) =>
      progress.update(`Uploading ${made.files.length} files, ${formatBytes(sent)}`, fraction()),
    );
  } finally {
    progress.done();
  }
}
