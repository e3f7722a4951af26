import type { Command } from './command.ts';

/** A command as the help lists it; its code is loaded only when it is called. */
export interface Entry {
  readonly words: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: Command }>;
}

const entry = (words: string, summary: string, load: Entry['load']): Entry => ({ words, summary, load });

/** Every command, in the groups and the order of the help. */
export const GROUPS: readonly { readonly title: string; readonly entries: readonly Entry[] }[] = [
  {
    title: 'Host',
    entries: [
      entry('start', 'Start the host and say where things are', () => import('./commands/start.ts')),
      entry('stop', 'Stop the host', () => import('./commands/stop.ts')),
      entry('serve', 'Run a host in the foreground', () => import('./commands/serve.ts')),
      entry('service install', 'Have the system keep the host running', () => import('./commands/service-install.ts')),
      entry('service status', 'Show the service of the host', () => import('./commands/service-status.ts')),
      entry('service remove', 'Remove the service', () => import('./commands/service-remove.ts')),
      entry('open', 'Open the host in the browser', () => import('./commands/open.ts')),
      entry('demo', 'See a sample bot trade on an offline price feed', () => import('./commands/demo.ts')),
      entry('samples list', 'List the bots that come with the product', () => import('./commands/samples-list.ts')),
      entry('samples deploy', 'Publish and deploy one of them', () => import('./commands/samples-deploy.ts')),
      entry('images list', 'List the images in which bots run', () => import('./commands/images-list.ts')),
      entry('images pull', 'Fetch the image of a runtime', () => import('./commands/images-pull.ts')),
      entry('interpreters list', 'List what packages may name', () => import('./commands/interpreters-list.ts')),
      entry('interpreters allow', 'Let bots run with a program', () => import('./commands/interpreters-allow.ts')),
      entry('interpreters remove', 'Let no further bot run with it', () => import('./commands/interpreters-remove.ts')),
      entry('backup', 'Back up everything into one file', () => import('./commands/backup.ts')),
      entry('restore', 'Put a backup in place', () => import('./commands/restore.ts')),
      entry('moved-here', 'Start the bots of a folder that has moved', () => import('./commands/moved-here.ts')),
      entry(
        'isolation list',
        'List bots that run with less than the host demands',
        () => import('./commands/isolation-list.ts'),
      ),
      entry(
        'isolation end',
        'Move such a bot to an engine that isolates enough',
        () => import('./commands/isolation-end.ts'),
      ),
      entry('storage', 'Show or change what is kept, and how long', () => import('./commands/storage.ts')),
      entry('doctor', 'Check this machine', () => import('./commands/doctor.ts')),
    ],
  },
  {
    title: 'Write and publish',
    entries: [
      entry('init', 'Start a bot project from a template', () => import('./commands/init.ts')),
      entry('dev', 'Run a project here, with live output', () => import('./commands/dev.ts')),
      entry('custom-bot deploy', 'Package and publish a custom bot', () => import('./commands/custom-bot-deploy.ts')),
      entry('custom-bot list', 'List published custom bots', () => import('./commands/custom-bot-list.ts')),
      entry('custom-bot get', 'Show a version of a custom bot', () => import('./commands/custom-bot-get.ts')),
      entry('custom-bot schema', 'Show the configuration schema', () => import('./commands/custom-bot-schema.ts')),
      entry(
        'custom-bot files',
        'List the files of a version, or print one',
        () => import('./commands/custom-bot-files.ts'),
      ),
      entry('custom-bot diff', 'Show how two versions differ', () => import('./commands/custom-bot-diff.ts')),
      entry('custom-bot validate', 'Check a project', () => import('./commands/custom-bot-validate.ts')),
      entry(
        'custom-bot verify',
        'Try a project or package against the contract',
        () => import('./commands/custom-bot-verify.ts'),
      ),
      entry('sdk verify', 'Try the SDK of any language against the contract', () => import('./commands/sdk-verify.ts')),
      entry('custom-bot export', 'Write a version as one file', () => import('./commands/custom-bot-export.ts')),
      entry('custom-bot import', 'Publish a package from others', () => import('./commands/custom-bot-import.ts')),
      entry('custom-bot delete', 'Remove an unused version', () => import('./commands/custom-bot-delete.ts')),
    ],
  },
  {
    title: 'Bots',
    entries: [
      entry('bot deploy', 'Create a bot from a JSON file; it starts', () => import('./commands/bot-deploy.ts')),
      entry('bot list', 'List bots', () => import('./commands/bot-list.ts')),
      entry('bot get', 'Show a bot', () => import('./commands/bot-get.ts')),
      entry('bot diagnose', 'Say why a bot failed and what to do', () => import('./commands/bot-diagnose.ts')),
      entry(
        'bot network',
        'Show to whom a bot spoke, and choose what the gate does',
        () => import('./commands/bot-network.ts'),
      ),
      entry('bot logs', 'Show log lines; -w follows', () => import('./commands/bot-logs.ts')),
      entry('bot query', 'Ask a bot', () => import('./commands/bot-query.ts')),
      entry('bot update', 'Change a bot from a JSON file', () => import('./commands/bot-update.ts')),
      entry('bot start', 'Enable a bot', () => import('./commands/bot-start.ts')),
      entry('bot arm', 'Allow a bot to use its live secrets', () => import('./commands/bot-arm.ts')),
      entry('bot disarm', 'Take its live secrets away, and stop it', () => import('./commands/bot-disarm.ts')),
      entry('bot stop', 'Disable a bot', () => import('./commands/bot-stop.ts')),
      entry('panic', 'Stop all your bots at once, and hold them', () => import('./commands/panic.ts')),
      entry('bot restart', 'Restart a running bot', () => import('./commands/bot-restart.ts')),
      entry('bot run', 'Run a scheduled bot now', () => import('./commands/bot-run.ts')),
      entry('bot state', 'List state keys, or read one', () => import('./commands/bot-state.ts')),
      entry('bot runs', 'List runs', () => import('./commands/bot-runs.ts')),
      entry('bot metrics', 'Show the newest metrics', () => import('./commands/bot-metrics.ts')),
      entry('bot stats', 'Show what a bot uses now', () => import('./commands/bot-stats.ts')),
      entry('bot events', 'List changes of state with their reasons', () => import('./commands/bot-events.ts')),
      entry('bot delete', 'Stop a bot and put it into the trash', () => import('./commands/bot-delete.ts')),
      entry('trash list', 'List deleted bots', () => import('./commands/trash-list.ts')),
      entry('trash restore', 'Restore a deleted bot', () => import('./commands/trash-restore.ts')),
      entry('trash empty', 'Remove deleted bots for good', () => import('./commands/trash-empty.ts')),
    ],
  },
  {
    title: 'Ledger',
    entries: [
      entry('ledger', 'Show what bots earned and paid', () => import('./commands/ledger.ts')),
      entry('ledger fills', 'List what is booked', () => import('./commands/ledger-fills.ts')),
      entry('ledger orders', 'List orders and what became of them', () => import('./commands/ledger-orders.ts')),
      entry('ledger positions', 'List what bots hold', () => import('./commands/ledger-positions.ts')),
      entry('ledger equity', 'List the equity that bots wrote', () => import('./commands/ledger-equity.ts')),
      entry('ledger problems', 'List rows that are in no sum, and why', () => import('./commands/ledger-problems.ts')),
      entry(
        'ledger conflicts',
        'List rows that contradict another one',
        () => import('./commands/ledger-conflicts.ts'),
      ),
      entry('ledger method', 'Choose what a sale closes', () => import('./commands/ledger-method.ts')),
      entry('ledger rebuild', 'Rebuild the books of a bot', () => import('./commands/ledger-rebuild.ts')),
      entry('ledger erase', 'Erase the books of a bot for good', () => import('./commands/ledger-erase.ts')),
    ],
  },
  {
    title: 'Alarms',
    entries: [
      entry('alarms channels', 'List or change where you are told', () => import('./commands/alarms-channels.ts')),
      entry('alarms test', 'Send a test message over a channel', () => import('./commands/alarms-test.ts')),
      entry('alarms rules', 'List or change what you are told', () => import('./commands/alarms-rules.ts')),
      entry('alarms log', 'List alarms, and who was told, when', () => import('./commands/alarms-log.ts')),
      entry('alarms mute', 'Tell no channel for some time', () => import('./commands/alarms-mute.ts')),
      entry('alarms watch', 'Have the host call who watches it', () => import('./commands/alarms-watch.ts')),
    ],
  },
  {
    title: 'Secrets',
    entries: [
      entry('secrets list', 'List secrets and which bots use them', () => import('./commands/secrets-list.ts')),
      entry('secrets set', 'Store a secret under a name', () => import('./commands/secrets-set.ts')),
      entry('secrets rotate', 'Give a secret a new value', () => import('./commands/secrets-rotate.ts')),
      entry('secrets used-by', 'List the bots that use a secret', () => import('./commands/secrets-used-by.ts')),
      entry('secrets remove', 'Remove a secret that no bot uses', () => import('./commands/secrets-remove.ts')),
      entry('secrets recovery-key', 'Show the recovery key, once', () => import('./commands/secrets-recovery-key.ts')),
      entry(
        'secrets restore-key',
        'Open secrets with the recovery key',
        () => import('./commands/secrets-restore-key.ts'),
      ),
      entry('secrets new-key', 'Seal secrets with a new key', () => import('./commands/secrets-new-key.ts')),
    ],
  },
  {
    title: 'Approvals',
    entries: [
      entry('approvals list', 'List changes that wait for you', () => import('./commands/approvals-list.ts')),
      entry('approvals show', 'Show what such a change would do', () => import('./commands/approvals-show.ts')),
      entry('approvals approve', 'Make it', () => import('./commands/approvals-approve.ts')),
      entry('approvals reject', 'Drop it', () => import('./commands/approvals-reject.ts')),
    ],
  },
  {
    title: 'Guards',
    entries: [
      entry('guards list', 'List the limits at which the host stops a bot', () => import('./commands/guards-list.ts')),
      entry('guards set', 'Add or change a guard', () => import('./commands/guards-set.ts')),
      entry('guards remove', 'Remove a guard', () => import('./commands/guards-remove.ts')),
    ],
  },
  {
    title: 'Account',
    entries: [
      entry('auth login', 'Log this command line in', () => import('./commands/auth-login.ts')),
      entry('auth status', 'Show who is logged in', () => import('./commands/auth-status.ts')),
      entry('auth logout', 'Forget and revoke the stored key', () => import('./commands/auth-logout.ts')),
      entry('auth approve', 'Approve the log-in of another machine', () => import('./commands/auth-approve.ts')),
      entry('auth password', 'Change your own password', () => import('./commands/auth-password.ts')),
      entry('pin', 'Show whether you have a PIN', () => import('./commands/pin.ts')),
      entry('pin set', 'Choose your PIN', () => import('./commands/pin-set.ts')),
      entry('pin reset', 'Remove a forgotten PIN', () => import('./commands/pin-reset.ts')),
      entry('keys list', 'List API keys', () => import('./commands/keys-list.ts')),
      entry('keys create', 'Make an API key', () => import('./commands/keys-create.ts')),
      entry('keys revoke', 'Revoke an API key', () => import('./commands/keys-revoke.ts')),
      entry('sessions list', 'List who is logged in as you', () => import('./commands/sessions-list.ts')),
      entry('sessions end', 'End a log-in', () => import('./commands/sessions-end.ts')),
      entry('sessions end-others', 'End all your other log-ins', () => import('./commands/sessions-end-others.ts')),
      entry('users list', 'List users', () => import('./commands/users-list.ts')),
      entry('users add', 'Add a user', () => import('./commands/users-add.ts')),
      entry('users password', 'Set the password of a user', () => import('./commands/users-password.ts')),
      entry('users role', 'Make a user an owner, or an owner a user', () => import('./commands/users-role.ts')),
      entry('users remove', 'Remove a user', () => import('./commands/users-remove.ts')),
      entry('preferences', 'Show or change how the dashboard shows things', () => import('./commands/preferences.ts')),
      entry('audit', 'List what was done with your account', () => import('./commands/audit.ts')),
    ],
  },
  {
    title: 'AI assistants',
    entries: [
      entry('connect', 'Let an AI assistant work with your bots', () => import('./commands/connect.ts')),
      entry('mcp', 'What an assistant starts: MCP on stdin and stdout', () => import('./commands/mcp.ts')),
    ],
  },
  {
    title: 'Shell',
    entries: [entry('completion', 'Print a completion script', () => import('./commands/completion.ts'))],
  },
];

/** All commands. */
export const ENTRIES: readonly Entry[] = GROUPS.flatMap((group) => group.entries);

const ALIASES: Readonly<Record<string, string>> = {
  'bot ls': 'bot list',
  'bot rm': 'bot delete',
  'bot log': 'bot logs',
  'custom-bot ls': 'custom-bot list',
  'custom-bot publish': 'custom-bot deploy',
  login: 'auth login',
  logout: 'auth logout',
};

/** The entry of these words or of their alias. */
export function findEntry(words: string): Entry | undefined {
  const name = Object.hasOwn(ALIASES, words) ? ALIASES[words] : words;
  return ENTRIES.find((one) => one.words === name);
}
