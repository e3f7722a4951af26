import { chmodSync } from 'node:fs';
import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import { monacoUnderPolicy } from './scripts/monaco-policy.ts';

const at = (path: string): string => resolve(import.meta.dirname, path);
const CLI = 'platform.js';

/** Where the host of `npm run dev` listens; the pages that Vite serves then ask it through Vite, as their own origin. */
export const DEV_HOST_PORT = Number(process.env.PLATFORM_PORT ?? 4750);
const DEV_PAGE_PORT = Number(process.env.PLATFORM_DEV_PORT ?? 5173);

const UNUSED = new Set(['ssh2', '@grpc/grpc-js', '@grpc/proto-loader', 'protobufjs']);

export default defineConfig({
  main: {
    // The build of fflate for Node declares a `require` of its own, as a bundle of ES modules does; nothing else differs.
    resolve: { alias: { fflate: at('node_modules/fflate/esm/browser.js') } },
    plugins: [
      {
        // dockerode loads what it needs for SSH and image builds at once; the host does neither, and starts 110 ms
        // sooner with 30 MB less. `npm ci` without these packages' native parts works for the same reason.
        name: 'unused-parts-of-dockerode',
        enforce: 'pre',
        resolveId: (id) => (UNUSED.has(id) ? `\0unused:${id}` : null),
        load: (id) => (id.startsWith('\0unused:') ? 'export default {};' : null),
      },
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
          index: at('src/main/index.ts'),
          platform: at('src/cli/platform.ts'),
          serve: at('src/main/serve.ts'),
          'egress-gate': at('src/main/egress-gate.ts'),
          inspect: at('src/main/inspect.ts'),
          archive: at('src/main/archive.ts'),
          'backup.worker': at('src/main/host/backup/backup.worker.ts'),
          'ingest.worker': at('src/main/host/logs/ingest.worker.ts'),
          'reader.worker': at('src/main/host/logs/reader.worker.ts'),
        },
        output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  },
  preload: {
    build: {
      target: 'node24',
      minify: false,
      // A sandboxed preload script is one file, and no ES module.
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: at('src/preload/index.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: at('src/renderer'),
    // Every place has an address of its own: assets are named from the root.
    base: '/',
    // The editor shows the texts of the SDKs as they are.
    resolve: { alias: { '@sdk': at('resources/sdk') } },
    plugins: [react(), monacoUnderPolicy(at('src/renderer/pages/editor/monaco/csp-safe-styles.ts'))],
    server: {
      host: '127.0.0.1',
      port: DEV_PAGE_PORT,
      strictPort: true,
      proxy: { '^/(api|mcp|bot|feed|healthz|view)(/|$)': { target: `http://127.0.0.1:${DEV_HOST_PORT}`, ws: true } },
    },
    build: {
      outDir: at('out/renderer'),
      target: 'chrome140',
      minify: true,
      // Small files stay files: nothing but the host's own addresses may be loaded.
      assetsInlineLimit: 0,
      // Monaco is larger, and loaded with the editor alone; test/e2e/dashboard/first-load.test.ts bounds what is loaded first.
      chunkSizeWarningLimit: 8192,
      rolldownOptions: { input: { index: at('src/renderer/index.html') } },
    },
  },
});
