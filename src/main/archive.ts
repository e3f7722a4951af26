import process from 'node:process';
import { parseArgs } from 'node:util';

/**
 * Entry of `platform backup` and `platform restore` on this machine: `archive.js backup|list|restore --data DIR …`. Its one
 * line on stdout is JSON, `{"ok":true,"result":…}` or `{"ok":false,"error":…}`.
 */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      file: { type: 'string' },
      'with-logs': { type: 'boolean' },
      'start-bots': { type: 'boolean' },
    },
  });
  // better-sqlite3 crashes silently under an older Node, so the caller chooses the right one.
  const { runArchive } = await import('./host/compose/backup-restore-commands.ts');
  const { PlatformError } = await import('../contract/errors.ts');
  try {
    const result = await runArchive({
      command: positionals[0] ?? '',
      dataDir: values.data ?? '',
      file: values.file ?? '',
      withLogs: values['with-logs'] ?? false,
      startBots: values['start-bots'] ?? false,
    });
    process.stdout.write(`${JSON.stringify({ ok: true, result })}\n`);
  } catch (error) {
    const known =
      error instanceof PlatformError
        ? error
        : new PlatformError('INTERNAL', error instanceof Error ? error.message : String(error));
    process.stdout.write(`${JSON.stringify({ ok: false, error: known.toBody() })}\n`);
    process.exitCode = 1;
  }
}

await main();
