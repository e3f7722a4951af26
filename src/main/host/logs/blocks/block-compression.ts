import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { damage } from '../../../../node/storage-error.ts';
import { errorText } from '../../../../node/system-error.ts';
import { type BlockHead, MOST_BYTES, PLAIN, ZSTD } from './block-head.ts';

/** Level 1: higher ones cost several times as much for a few hundredths of the size. */
const PARAMS = { [constants.ZSTD_c_compressionLevel]: 1 };
/** Memory that is taken at a time: a head may promise more than its body holds. */
const CHUNK_BYTES = 1024 * 1024;

export function packed(plain: Buffer): Buffer {
  return zstdCompressSync(plain, { params: PARAMS });
}

/** Returns the bytes of a block as they were built. @throws damage when they are not what was stored */
export function unpacked(head: BlockHead, body: Buffer): Buffer {
  if (crc32(body) !== head.body_sum) throw damage('its bytes are not as they were stored');
  if (head.size > MOST_BYTES) throw damage(`it says that it has ${head.size} bytes`);
  const plain = head.code === ZSTD ? inflated(body, head.size) : body;
  if (head.code !== ZSTD && head.code !== PLAIN) throw damage(`its code ${head.code} is not known`);
  if (plain.length !== head.size) throw damage('its length is not as it was stored');
  return plain;
}

function inflated(body: Buffer, size: number): Buffer {
  try {
    return zstdDecompressSync(body, { maxOutputLength: size, chunkSize: Math.min(Math.max(size, 64), CHUNK_BYTES) });
  } catch (error) {
    throw damage(errorText(error));
  }
}
