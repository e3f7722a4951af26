import type { Output } from '../../contract/operations.ts';
import { HostError, toHostError } from './host-error.ts';

function errorOf(text: string): HostError {
  try {
    const { error } = JSON.parse(text);
    return new HostError(error);
  } catch (thrown) {
    return toHostError(thrown);
  }
}

interface Upload {
  readonly file: Blob;
  /** Gets the sent fraction, from 0 to 1. */
  readonly sent: (part: number) => void;
  readonly signal: AbortSignal;
}

/** Sends a package. Uses XMLHttpRequest, because fetch does not report progress. */
function send<T>(address: string, { file, sent, signal }: Upload): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', address);
    // The host looks at the first bytes of a package to tell its kind.
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.upload.onprogress = ({ loaded, total }) => sent(total === 0 ? 1 : loaded / total);
    request.onload = () => {
      if (request.status === 200 || request.status === 201) resolve(JSON.parse(request.responseText) as T);
      else reject(errorOf(request.responseText));
    };
    request.onerror = () => reject(HostError.lost());
    request.onabort = () => reject(HostError.away());
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}

/** Has the host say what publishing a package would do. Rejects with a HostError, also when the signal ends it. */
export const inspectPackage = (upload: Upload): Promise<Output<'custom_bots.inspect'>> =>
  send('/api/v1/custom-bots/inspect', upload);

/** Publishes a package if it has this content hash. Rejects with a HostError, also when the signal ends it. */
export const publishPackage = (hash: string, upload: Upload): Promise<Output<'custom_bots.publish'>> =>
  send(`/api/v1/custom-bots?hash=${hash}`, upload);

/** A published version as a package (.tar.gz). Rejects with a HostError. */
export async function downloadPackage(name: string, version: string): Promise<Blob> {
  let answer: Response;
  try {
    answer = await fetch(`/api/v1/custom-bots/${name}/package?version=${version}`);
    if (answer.ok) return await answer.blob();
  } catch {
    // Only a lost connection ends either of them so.
    throw HostError.lost();
  }
  throw errorOf(await answer.text());
}
