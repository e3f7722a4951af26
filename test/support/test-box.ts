import { openWith, type SecretBox, sealWith } from '../../src/main/host/vault/secret-box.ts';
import { keyIdOf } from '../../src/node/key-file.ts';

/** Seals with a key that is made of a word, so that two boxes of one word open each other's texts. */
export function testBox(word = 'tests'): SecretBox {
  const key = Buffer.alloc(32, word);
  const id = keyIdOf(key);
  return {
    seal: (recordId, text) => sealWith(id, key, recordId, text),
    open: (recordId, sealed) => openWith((wanted) => (wanted === id ? key : null), recordId, sealed),
  };
}
