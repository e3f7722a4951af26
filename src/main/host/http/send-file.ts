import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { systemErrorCode } from '../../../node/system-error.ts';
import type { FileDownload } from '../api/api-types.ts';
import { SAFE_HEADERS } from './respond.ts';

/**
 * Sends a file as it is made. Rejects when it cannot be made to its end: the connection is then closed before the end of
 * the answer, so that no client takes the part for the whole.
 */
export async function sendFile(response: ServerResponse, file: FileDownload, requestId: string): Promise<void> {
  response.writeHead(200, {
    ...SAFE_HEADERS,
    'content-type': file.contentType,
    'content-disposition': `attachment; filename="${file.fileName}"`,
    'x-request-id': requestId,
  });
  try {
    await pipeline(file.stream, response);
  } catch (error) {
    // The client has gone.
    if (systemErrorCode(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
