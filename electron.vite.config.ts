import { chmodSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from 'electron-vite';

const at = (path: string): string => resolve(import.meta.dirname, path);
const CLI = 'platform.js';

export default defineConfig({
  main: {
    plugins: [
      {
        // Vite writes files without the executable bit, and `npx platform` runs this one directly.
        name: 'executable-cli',
        writeBundle(options) {
          if (options.dir !== undefined) chmodSync(resolve(options.dir, CLI), 0o755);
        },
      },
    ],
    build: {
      target: 'node20',
      externalizeDeps: true,
      minify: false,
      rolldownOptions: {
        input: {
          platform: at('src/cli/platform.ts'),
          serve: at('src/main/serve.ts'),
          'ingest.worker': at('src/main/telemetry/ingest.worker.ts'),
          'reader.worker': at('src/main/telemetry/reader.worker.ts'),
        },
        output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  },
});
