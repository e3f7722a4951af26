import type { Page } from 'playwright-core';
import { FIXED_DESKTOP, type FixedDesktop, putDesktop, TROUBLED_DESKTOP } from './fixed-desktop.ts';
import type { World } from './fixed-host.ts';
import { choosePackage } from './fixed-package.ts';

/** Width and height of a window, in pixels of the page. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The window of a place that names no other. */
export const USUAL_SIZE: Size = { width: 1280, height: 800 };
const DESK: Size = { width: 1280, height: 820 };
const WIDE: Size = { width: 1440, height: 900 };
const PHONE: Size = { width: 390, height: 844 };

/**
 * Every place of the dashboard, once: each route with data, its empty and refused states, and each window that opens over
 * a place. The tests of access, pictures, lost connections and users go through this table, and places.test.ts compares
 * it with the routes and windows of the program, so that none can be forgotten.
 */
export interface Place {
  /** Name of its picture. */
  readonly name: string;
  /** Its address; names of bots and custom bots are filled in by `pathOf`. */
  readonly path: string;
  /** A text that is there once the place shows what it is here for. */
  readonly has: string | RegExp;
  /** A text of the fixed host that comes after all others. */
  readonly last?: string;
  /** The window that it is looked at in; default: the usual one. */
  readonly size?: Size;
  /** How the fixed host is; default: full. */
  readonly world?: World;
  /** Steps to reach it from the place below. */
  readonly open?: (page: Page) => Promise<void>;
  /** Source of the window that it shows, below src/renderer. */
  readonly window?: string;
}

/** Parameters in the paths of places, and their values in the fixed world. */
export const FIXED_NAMES = {
  well: 'bot_well',
  broken: 'bot_broken',
  scheduled: 'bot_scheduled',
  fresh: 'bot_fresh',
  custom: 'sma-crossover',
} as const;
export type Names = Readonly<Record<keyof typeof FIXED_NAMES, string>>;

export const pathOf = ({ path }: Pick<Place, 'path'>, names: Names): string =>
  path.replace(/:(\w+)/g, (_, name: keyof Names) => names[name]);

const press =
  (name: string | RegExp, index = 0) =>
  async (page: Page) =>
    page.getByRole('button', { name }).nth(index).click();
const choose = (menu: string, entry: string) => async (page: Page) => {
  await page.getByRole('button', { name: menu }).click();
  await page.getByRole('menuitem', { name: entry }).click();
};
/** As in the window of the desktop app, which then shows its own settings. */
const inDesktop = (answers: FixedDesktop) => async (page: Page) => {
  await page.evaluate(putDesktop, answers);
  await page.evaluate("history.pushState(null, '', '/settings/desktop')");
};
const key = (keys: string) => (page: Page) => page.keyboard.press(keys);

const inView = (page: Page) => page.frameLocator('iframe');
const seeView = (page: Page) => inView(page).getByText('Prices that were watched').waitFor();

/** Each route with data. These are visited with a real host as well. */
export const DATA_PLACES: readonly Place[] = [
  { name: 'fleet', path: '/', has: 'Last signal or fill', last: 'signal ·' },
  { name: 'portfolio', path: '/portfolio', has: /Open positions|Nothing is booked yet/ },
  { name: 'bot-overview', path: '/bots/:well', has: 'Newest lines', last: '2.4 %' },
  { name: 'bot-view', path: '/bots/:well/view', has: /brings no view along|Drawn by the bot/ },
  { name: 'bot-logs', path: '/bots/:well/logs', has: /lines? stored/ },
  { name: 'bot-metrics', path: '/bots/:well/metrics', has: 'Charts' },
  {
    name: 'bot-ledger',
    path: '/bots/:well/ledger',
    has: /Fills and cash|Nothing is booked yet/,
    last: 'opening adjustment',
  },
  { name: 'bot-state', path: '/bots/:well/state', has: 'Allow changes' },
  { name: 'bot-query', path: '/bots/:well/query', has: 'The same elsewhere' },
  { name: 'bot-runs', path: '/bots/:well/runs', has: 'What came of it' },
  { name: 'bot-config', path: '/bots/:well/config', has: 'Settings of' },
  { name: 'bot-settings', path: '/bots/:well/settings', has: 'Identity' },
  { name: 'waiting-none', path: '/waiting', has: 'Nothing waits for you' },
  { name: 'deploy', path: '/deploy?custom_bot=:custom', has: 'Deploy a bot' },
  { name: 'custom-bots', path: '/custom-bots', has: 'Published' },
  { name: 'custom-bot-readme', path: '/custom-bots/:custom', has: 'Readme' },
  { name: 'custom-bot-settings', path: '/custom-bots/:custom/settings', has: 'Default' },
  { name: 'custom-bot-bots', path: '/custom-bots/:custom/bots', has: 'Bring to version' },
  { name: 'custom-bot-versions', path: '/custom-bots/:custom/versions', has: 'Published' },
  { name: 'custom-bot-compare', path: '/custom-bots/:custom/compare', has: 'bot-config.yaml' },
  { name: 'custom-bot-files', path: '/custom-bots/:custom/files', has: 'entrypoints' },
  // For a user who is not the owner, the page says that only the owner can.
  { name: 'editor', path: '/editor', has: /Open a folder|can open folders/ },
  { name: 'connect', path: '/connect', has: 'What assistants did' },
  { name: 'settings-account', path: '/settings/account', has: 'Logged in by' },
  { name: 'settings-appearance', path: '/settings/appearance', has: 'Theme' },
  { name: 'settings-alarms', path: '/settings/alarms', has: 'Where you are told' },
  { name: 'settings-secrets', path: '/settings/secrets', has: 'A configuration refers to one as' },
  { name: 'settings-keys', path: '/settings/keys', has: 'For programs that use the API' },
  { name: 'settings-users', path: '/settings/users', has: 'Logs in by' },
  { name: 'settings-audit', path: '/settings/audit', has: 'Outcome' },
  { name: 'settings-trash', path: '/settings/trash', has: 'arm it again if it was armed', last: 'Empty trash' },
  { name: 'settings-engines', path: '/settings/engines', has: 'Local processes' },
  { name: 'settings-host', path: '/settings/host', has: 'Runs since' },
  { name: 'settings-desktop-browser', path: '/settings/desktop', has: 'belong to the desktop app' },
  { name: 'settings-storage', path: '/settings/storage', has: 'Back up now' },
  { name: 'settings-about', path: '/settings/about', has: 'For a report' },
];

const OTHER_DATA: readonly Place[] = [
  { name: 'waiting', path: '/waiting', world: 'waiting', has: 'To be armed', last: 'options.memory_mb' },
  { name: 'bot-waiting', path: '/bots/:well', world: 'waiting', has: 'waits for you', last: '2.4 %' },
  { name: 'bot-failure', path: '/bots/:broken', has: 'What shows it' },
  {
    name: 'bot-versions',
    path: '/bots/:broken',
    has: 'What differs',
    open: press('Other versions'),
    window: 'pages/bot/bot-versions.tsx',
  },
  {
    name: 'edit-version',
    path: '/custom-bots/:custom',
    has: 'Copy into a new folder',
    open: press('Edit in editor'),
    window: 'pages/custom-bots/edit-version.tsx',
  },
  { name: 'bot-view-shown', path: '/bots/bot_stopped/view', has: 'Drawn by the bot', open: seeView },
  {
    name: 'bot-view-link',
    path: '/bots/bot_stopped/view',
    window: 'pages/bot/view/view-tab.tsx',
    has: 'Open a page of the web?',
    open: async (page) => {
      await seeView(page);
      await inView(page).getByRole('button').click();
      // A browser shows the focus after a key in any case, after a click now and then.
      await page.getByRole('button', { name: 'Cancel' }).waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Shift+Tab');
    },
  },
  { name: 'bot-failure-logs', path: '/bots/:broken/logs?run=run_b1', has: 'bot.mjs:14:37', last: 'by a restart' },
  { name: 'bot-scheduled', path: '/bots/:scheduled', has: 'Next run' },
  { name: 'bot-scheduled-runs', path: '/bots/:scheduled/runs?run=run_s9', has: 'Log of this run' },
  { name: 'bot-long-name', path: '/bots/bot_long', has: 'Newest lines', last: '2.4 %' },
  {
    name: 'bot-query-answer',
    path: '/bots/:well/query',
    has: 'by the running bot',
    open: press('Ask'),
  },
  { name: 'bot-metrics-table', path: '/bots/:well/metrics', has: 'Older rows', open: press('Table') },
  {
    name: 'bot-config-changed',
    path: '/bots/:well/config',
    has: '1 problem in the settings',
    open: (page) => page.getByRole('textbox', { name: 'short_period' }).fill('70'),
  },
  {
    name: 'bot-logs-search',
    path: '/bots/:well/logs',
    has: '59 of 59',
    open: async (page) => {
      const search = page.getByRole('textbox', { name: 'Search the whole log' });
      await search.fill('aapl');
      await search.press('Enter');
    },
  },
  {
    name: 'bot-state-edit',
    path: '/bots/:fresh/state',
    has: 'Value, as JSON',
    open: async (page) => {
      await page.getByRole('switch', { name: 'Allow changes' }).click();
      await page.getByRole('button', { name: 'New key' }).click();
    },
  },
  { name: 'fleet-panel', path: '/?bot=:well', size: DESK, has: 'its only run has not failed', last: 'signal ·' },
  {
    name: 'fleet-panel-failure',
    path: '/?bot=:broken',
    size: WIDE,
    has: 'Go back to the version that worked',
    last: 'It has measured nothing yet',
  },
  { name: 'fleet-phone', path: '/', size: PHONE, has: 'Profit today', last: 'Unverified' },
  {
    name: 'fleet-phone-menu',
    path: '/',
    size: PHONE,
    has: 'Duplicate…',
    open: press('Actions for Grid ETH'),
  },
  {
    name: 'fleet-selected',
    path: '/',
    has: '15 selected',
    last: 'signal ·',
    open: (page) => page.getByRole('checkbox', { name: 'Select all bots shown' }).check(),
  },
  {
    name: 'deploy-problems',
    path: '/deploy?custom_bot=:custom',
    has: 'must be',
    open: (page) => page.getByRole('textbox', { name: 'short_period' }).fill('1'),
  },
  { name: 'deploy-scheduled', path: '/deploy?custom_bot=portfolio-tracker', has: 'Schedule' },
  { name: 'deploy-samples', path: '/deploy', has: 'Not on this machine' },
  { name: 'bot-metrics-candles', path: '/bots/:well/metrics', has: / candles$/, open: press(/^Draw .* as candles$/) },
  { name: 'bot-metrics-range', path: '/bots/:well/metrics', has: /^From, /, open: press('Custom') },
  {
    name: 'connect-made',
    path: '/connect',
    has: 'shown now and never again',
    open: press('Make a key for Claude Code'),
  },
  {
    name: 'connect-written',
    path: '/connect',
    has: 'Waiting for the first call of Claude Code',
    open: press('Set it up for me'),
  },
  {
    name: 'settings-desktop',
    path: '/settings/about',
    has: 'New terminals find it',
    open: inDesktop(FIXED_DESKTOP),
  },
  {
    name: 'settings-desktop-trouble',
    path: '/settings/about',
    has: 'permission denied',
    open: async (page) => {
      await inDesktop(TROUBLED_DESKTOP)(page);
      await page.getByRole('button', { name: 'Use this copy' }).click();
    },
  },
  {
    name: 'portfolio-hidden',
    path: '/portfolio?range=30d',
    has: 'Show amounts',
    open: press('Hide amounts'),
  },
  { name: 'portfolio-unverified', path: '/portfolio?mode=unverified&range=30d', has: 'ETHUSDT' },
  { name: 'connect-approve', path: '/connect?code=ABCD-EFGH', has: 'Approve a code' },
];

/** Where there is nothing to show, or nothing at all. */
const EMPTY_PLACES: readonly Place[] = [
  { name: 'welcome', path: '/', world: 'empty', has: 'See a bot at work' },
  { name: 'fleet-none-found', path: '/?find=nothing', has: 'No bot has a name like' },
  { name: 'bot-overview-empty', path: '/bots/:fresh', has: 'Newest lines' },
  { name: 'bot-logs-empty', path: '/bots/:fresh/logs', has: 'No lines yet' },
  { name: 'bot-logs-none-fit', path: '/bots/:fresh/logs?level=error', has: 'No line matches' },
  { name: 'bot-metrics-empty', path: '/bots/:fresh/metrics', has: 'has not measured anything yet' },
  { name: 'portfolio-empty', path: '/portfolio', world: 'empty', has: 'Nothing is booked yet' },
  { name: 'bot-ledger-empty', path: '/bots/:fresh/ledger', has: 'Nothing is booked yet' },
  { name: 'bot-state-empty', path: '/bots/:fresh/state', has: 'It has stored nothing' },
  {
    name: 'bot-query-none',
    path: '/bots/:fresh/query',
    has: 'It answers no queries',
    open: press('Ask what it answers'),
  },
  { name: 'bot-runs-empty', path: '/bots/:fresh/runs', has: 'It has not run yet' },
  { name: 'deploy-empty', path: '/deploy', world: 'empty', has: 'Nothing is published yet' },
  { name: 'custom-bots-empty', path: '/custom-bots', world: 'empty', has: 'Nothing is published yet' },
  { name: 'custom-bot-no-bots', path: '/custom-bots/idle/bots', has: 'No bot runs it' },
  { name: 'editor-empty', path: '/editor', world: 'empty', has: 'None yet' },
  { name: 'editor-no-project', path: '/editor/nothing', has: 'not on your list' },
  { name: 'connect-empty', path: '/connect', world: 'empty', has: 'No assistant has a key yet' },
  { name: 'settings-engines-no-docker', path: '/settings/engines', world: 'empty', has: 'Cannot be used now' },
  { name: 'settings-alarms-empty', path: '/settings/alarms', world: 'empty', has: 'There are no channels' },
  { name: 'settings-secrets-sealed', path: '/settings/secrets', world: 'empty', has: 'is not on this machine' },
  { name: 'settings-keys-empty', path: '/settings/keys', world: 'empty', has: 'There are no keys' },
  { name: 'settings-audit-empty', path: '/settings/audit', world: 'empty', has: 'Nothing yet' },
  { name: 'settings-trash-empty', path: '/settings/trash', world: 'empty', has: 'The trash is empty' },
  { name: 'no-page', path: '/bots', has: 'There is no page at this address' },
  { name: 'no-bot', path: '/bots/bot_nobody', has: 'There is no bot at this address' },
  { name: 'no-tab', path: '/bots/:well/nothing', has: 'A bot has no page called' },
  { name: 'no-custom-bot', path: '/custom-bots/nothing', has: 'There is no custom bot' },
  { name: 'no-settings', path: '/settings/nothing', has: 'There are no such settings' },
];

/** Every route that reads something, when the host cannot give it. */
const FAILING: readonly string[] = [
  'bot-overview',
  'bot-view',
  'bot-logs',
  'bot-metrics',
  'bot-ledger',
  'portfolio',
  'bot-state',
  'bot-query',
  'bot-runs',
  'bot-config',
  'waiting-none',
  'deploy',
  'custom-bots',
  'custom-bot-readme',
  'connect',
  'settings-alarms',
  'settings-secrets',
  'settings-keys',
  'settings-users',
  'settings-audit',
  'settings-trash',
  'settings-engines',
  'settings-host',
];
const FAILED_PLACES: readonly Place[] = FAILING.map((name) => {
  const path = DATA_PLACES.find((one) => one.name === name)?.path;
  if (path === undefined) throw new Error(`there is no place ${name}`);
  return { name: `${name}-refused`, path, world: 'failing', has: 'INTERNAL' };
});

/** Pages before the log-in, and places of a read-only session. */
const OTHER_LOG_INS: readonly Place[] = [
  { name: 'sign-in', path: '/', world: 'logged-out', has: 'Log in' },
  {
    name: 'sign-in-wrong',
    path: '/',
    world: 'logged-out',
    has: 'INVALID_CREDENTIALS',
    open: async (page) => {
      await page.getByLabel('Name').fill('ann');
      await page.getByLabel('Password').fill('not hers');
      await page.getByRole('button', { name: 'Log in' }).click();
    },
  },
  { name: 'choose-user', path: '/#enter=ticket', has: 'You are logged in as owner' },
  { name: 'host-away', path: '/', world: 'away', has: 'The host does not answer' },
  { name: 'fleet-read-only', path: '/', world: 'read-only', has: 'Last signal or fill', last: 'signal ·' },
  { name: 'deploy-read-only', path: '/deploy', world: 'read-only', has: 'can view bots, but not deploy any' },
];

/** What lies over a place. */
const WINDOWS: readonly Place[] = [
  {
    name: 'palette',
    path: '/settings/about',
    window: 'app/palette/palette.tsx',
    has: 'Momentum',
    open: key('Control+k'),
  },
  {
    name: 'palette-none-found',
    path: '/settings/about',
    has: 'Nothing is called',
    open: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('zzz');
    },
  },
  {
    name: 'shortcuts',
    path: '/settings/about',
    window: 'app/shortcuts/shortcut-sheet.tsx',
    has: 'This sheet',
    open: key('?'),
  },
  {
    name: 'leave',
    path: '/bots/:well/config',
    window: 'app/leaving.tsx',
    has: 'Leave without saving?',
    open: async (page) => {
      await page.getByRole('textbox', { name: 'short_period' }).fill('7');
      await page.getByRole('link', { name: 'Fleet', exact: true }).click();
    },
  },
  {
    name: 'fleet-bulk',
    path: '/',
    window: 'pages/fleet/bulk-bar.tsx',
    has: 'Stop 14 bots?',
    open: async (page) => {
      await page.getByRole('checkbox', { name: 'Select all bots shown' }).check();
      await page.getByRole('button', { name: 'Stop 14' }).click();
    },
  },
  {
    name: 'fleet-view',
    path: '/',
    window: 'pages/fleet/view-menu.tsx',
    has: 'Columns',
    last: 'signal ·',
    open: press('View'),
  },
  {
    name: 'fleet-row-menu',
    path: '/',
    has: 'Duplicate…',
    last: 'signal ·',
    open: press('Actions for Grid ETH'),
  },
  {
    name: 'bot-menu',
    path: '/bots/:well/settings',
    window: 'components/actions-menu.tsx',
    has: 'Copy log command',
    open: press('Actions for'),
  },
  {
    name: 'bot-arm',
    path: '/bots/:scheduled',
    window: 'pages/bot/arm-bot.tsx',
    has: 'Stop it when the arming ends',
    open: press('Arm…'),
  },
  {
    name: 'waiting-approve',
    path: '/waiting',
    world: 'waiting',
    window: 'pages/waiting/settle.tsx',
    has: 'Its arming follows',
    open: press('Approve…'),
  },
  {
    name: 'waiting-reject',
    path: '/waiting',
    world: 'waiting',
    window: 'pages/waiting/settle.tsx',
    has: 'The host drops what',
    open: press('Reject…'),
  },
  {
    name: 'bot-delete',
    path: '/bots/:well/settings',
    window: 'pages/bot/delete-bot.tsx',
    has: 'Delete bot',
    open: choose('Actions for', 'Delete…'),
  },
  {
    name: 'trash-restore',
    path: '/settings/trash',
    window: 'pages/settings/restore-bot.tsx',
    has: 'Another bot may have its name by now',
    open: press('Restore sma-eth'),
  },
  {
    name: 'trash-remove',
    path: '/settings/trash',
    window: 'pages/settings/trash.tsx',
    has: 'Remove for good',
    open: press('Empty trash'),
  },
  {
    name: 'logs-view',
    path: '/bots/:well/logs',
    window: 'pages/bot/logs/menus.tsx',
    has: 'How long ago',
    open: press('View'),
  },
  { name: 'logs-download', path: '/bots/:well/logs', has: 'The whole log', open: press('Download') },
  {
    name: 'logs-time',
    path: '/bots/:well/logs',
    window: 'pages/bot/logs/time-menu.tsx',
    has: '15 min',
    open: press('All times'),
  },
  {
    name: 'state-delete',
    path: '/bots/:well/state',
    window: 'pages/bot/state-key-view.tsx',
    has: 'Delete the key',
    open: async (page) => {
      await page.getByRole('switch', { name: 'Allow changes' }).click();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
    },
  },
  {
    name: 'custom-bot-move',
    path: '/custom-bots/:custom/bots?version=1.1.0',
    window: 'pages/custom-bots/bots.tsx',
    has: 'Config and state stay',
    open: async (page) => {
      await page.getByLabel('Bring to version').selectOption('1.1.0');
      await page.getByRole('button', { name: 'Roll back 1 bot' }).click();
    },
  },
  { name: 'package-preview', path: '/custom-bots', has: 'Different from 1.2.0', open: choosePackage(false) },
  { name: 'package-refused', path: '/custom-bots', has: 'VERSION_EXISTS', open: choosePackage(true) },
  {
    name: 'custom-bot-remove',
    path: '/custom-bots/:custom/versions',
    window: 'pages/custom-bots/versions.tsx',
    has: 'Remove the version',
    open: press('Remove version 1.0.0'),
  },
  {
    name: 'channel-new',
    path: '/settings/alarms',
    window: 'pages/settings/alarms/channel-dialog.tsx',
    has: 'Add and send a test',
    open: press('Add channel'),
  },
  {
    name: 'channel-failed',
    path: '/settings/alarms',
    window: 'pages/settings/alarms/channel-dialog.tsx',
    has: 'The test message was not sent',
    open: async (page) => {
      await page.getByRole('button', { name: 'Add channel' }).click();
      await page.getByLabel('Bot token').fill('123456:not-a-real-token');
      await page.getByLabel('Chat id').fill('42');
      await page.getByRole('button', { name: 'Add and send a test' }).click();
    },
  },
  {
    name: 'chart-overlay',
    path: '/bots/:well/metrics',
    window: 'pages/bot/metrics/overlay-dialog.tsx',
    has: 'by a scale of its own at the right',
    open: press(/^Overlay another series on /),
  },
  {
    name: 'channel-edit',
    path: '/settings/alarms',
    window: 'pages/settings/alarms/channel-dialog.tsx',
    has: 'Leave a field empty to keep its value',
    open: press('Edit phone'),
  },
  {
    name: 'channel-remove',
    path: '/settings/alarms',
    window: 'pages/settings/alarms/channels.tsx',
    has: 'Nothing more is sent over it',
    open: press('Remove phone'),
  },
  {
    name: 'alarm-rule-new',
    path: '/settings/alarms',
    window: 'pages/alarm-rule-dialog.tsx',
    has: 'Quote what the bot said',
    open: press('Add rule'),
  },
  {
    name: 'secret-new',
    path: '/settings/secrets',
    window: 'pages/settings/secrets/secret-dialog.tsx',
    has: 'It is not shown again',
    open: press('Add secret'),
  },
  {
    name: 'ledger-erase',
    path: '/bots/:well/ledger',
    window: 'pages/bot/ledger/upkeep.tsx',
    has: /^Type .* to confirm/,
    open: press('Erase the ledger…'),
  },
  {
    name: 'secret-remove',
    path: '/settings/secrets',
    window: 'pages/settings/secrets/secrets-section.tsx',
    has: 'A secret that a bot uses is not removed',
    open: press('Remove BINANCE_TEST'),
  },
  {
    name: 'recovery-key',
    path: '/settings/secrets',
    window: 'pages/settings/secrets/vault-key.tsx',
    has: 'Write it down now',
    open: async (page) => {
      await page.getByRole('button', { name: 'Show the recovery key' }).click();
      await page.getByRole('button', { name: 'Show it' }).click();
    },
  },
  {
    name: 'recovery-key-give',
    path: '/settings/secrets',
    world: 'empty',
    window: 'pages/settings/secrets/vault-key.tsx',
    has: '14 groups of four letters',
    open: press('Give the recovery key'),
  },
  {
    name: 'key-revoke',
    path: '/settings/keys',
    window: 'components/key-table.tsx',
    has: 'Whatever uses this key',
    open: press(/^Revoke/),
  },
  {
    name: 'key-new',
    path: '/settings/keys',
    window: 'pages/settings/new-key.tsx',
    has: 'Days until it ends',
    open: press('New key'),
  },
  {
    name: 'key-made',
    path: '/settings/keys',
    window: 'pages/settings/new-key.tsx',
    has: 'Copy it now',
    open: async (page) => {
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByLabel('Name').fill('nightly report');
      await page.getByRole('button', { name: 'Make key' }).click();
    },
  },
  {
    name: 'own-password',
    path: '/settings/account',
    window: 'pages/settings/change-password.tsx',
    has: 'New password',
    open: press('Set a password'),
  },
  {
    name: 'user-menu',
    path: '/settings/users',
    window: 'components/row-menu.tsx',
    has: 'Set password…',
    open: press('Actions for ann'),
  },
  {
    name: 'user-add',
    path: '/settings/users',
    window: 'pages/settings/user-forms.tsx',
    has: 'Add a user',
    open: press('Add user'),
  },
  {
    name: 'user-password',
    path: '/settings/users',
    has: 'New password',
    open: choose('Actions for ann', 'Set password…'),
  },
  {
    name: 'user-sessions',
    path: '/settings/users',
    window: 'pages/settings/sessions.tsx',
    has: 'Log-ins of ann',
    open: choose('Actions for ann', 'Log-ins…'),
  },
  {
    name: 'pin-reset',
    path: '/settings/users',
    window: 'pages/settings/pin.tsx',
    has: 'Type ann to confirm',
    open: choose('Actions for ann', 'Reset PIN…'),
  },
  {
    name: 'interpreter-allow',
    path: '/settings/engines',
    window: 'pages/settings/interpreters.tsx',
    has: 'As packages name it',
    open: press('Allow an interpreter'),
  },
  {
    name: 'interpreter-remove',
    path: '/settings/engines',
    window: 'pages/settings/interpreters.tsx',
    has: 'Remove ruby?',
    open: press('Remove ruby'),
  },
  {
    name: 'pin-choose',
    path: '/settings/account',
    window: 'app/pin-dialog.tsx',
    has: 'New PIN again',
    open: press('Choose a PIN…'),
  },
  {
    name: 'pin-enter',
    path: '/bots/:well/settings',
    window: 'app/pin-dialog.tsx',
    has: 'Enter your PIN',
    open: press('Remove Daily loss'),
  },
  {
    name: 'user-remove',
    path: '/settings/users',
    window: 'pages/settings/users.tsx',
    has: 'A user who still has bots',
    open: choose('Actions for ann', 'Remove…'),
  },
  {
    name: 'host-stop',
    path: '/settings/host',
    window: 'pages/settings/host-section.tsx',
    has: 'Stop host',
    open: press('Stop host…'),
  },
  {
    name: 'panic',
    path: '/',
    window: 'app/panic-button.tsx',
    has: 'Stop all bots now?',
    open: press('Panic'),
  },
];

export const PLACES: readonly Place[] = [
  ...DATA_PLACES,
  ...OTHER_DATA,
  ...EMPTY_PLACES,
  ...FAILED_PLACES,
  ...OTHER_LOG_INS,
  ...WINDOWS,
];
