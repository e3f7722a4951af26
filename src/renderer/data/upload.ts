import type { Output } from '../../contract/operations.ts';
import { HostError, toHostError } from './host-error.ts';

type Published = Output<'custom_bots.publish'>;

function errorOf(text: string): HostError {
  try {
    const { error } = JSON.parse(text);
    return new HostError(error);
  } catch (thrown) {
    return toHostError(thrown);
  }
}

/**
 * Publishes a package (.tar.gz). `sent` gets the sent fraction, from 0 to 1. Rejects with a HostError, also when the
 * signal ends it. Uses XMLHttpRequest, because fetch does not report progress.
 */
export function uploadPackage(file: Blob, sent: (part: number) => void, signal: AbortSignal): Promise<Published> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', '/api/v1/custom-bots');
    request.setRequestHeader('content-type', 'application/gzip');
    request.upload.onprogress = ({ loaded, total }) => sent(total === 0 ? 1 : loaded / total);
    request.onload = () => {
      if (request.status === 200 || request.status === 201) resolve(JSON.parse(request.responseText) as Published);
      else reject(errorOf(request.responseText));
    };
    request.onerror = () => reject(HostError.lost());
    request.onabort = () => reject(HostError.away());
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}
