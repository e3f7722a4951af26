import type { DesktopHost } from '../../contract/desktop-bridge.ts';
import { hintHere } from '../../shared/npx-command.ts';

/** Content of the window while it has no dashboard. */
export interface Status {
  readonly title: string;
  readonly text: string;
  /** Links that the window understands as commands; a page of text alone has no other way to ask. */
  readonly actions: readonly Action[];
}

export type Action = 'retry' | 'log' | 'quit';

const WORDS: Readonly<Record<Action, string>> = {
  retry: 'Try again',
  log: 'Show the log files',
  quit: 'Quit',
};

/** Prefix of the links of the page: the name of the site cannot exist, and the window never opens them. */
const COMMAND = 'https://action.invalid/';
export const addressOf = (action: Action): string => `${COMMAND}${action}`;

const PAGE = 'data:text/html;charset=utf-8,';

/** True for the address of a page of this module. No other `data:` page is ever loaded: no page can go to one. */
export const isStatusPage = (address: string): boolean => address.startsWith(PAGE);

/** The command that an address stands for; null for any other. Only a status page may give one. */
export function actionOf(address: string): Action | null {
  const name = address.startsWith(COMMAND) ? address.slice(COMMAND.length) : '';
  return name === 'retry' || name === 'log' || name === 'quit' ? name : null;
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

/** Escapes a text and renders its parts in backticks as code, with the commands in it as they are typed here. */
const ticked = (text: string): string => escaped(hintHere(text)).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

const STYLE =
  ':root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}body{margin:0;min-height:100vh;display:grid;place-items:center}' +
  'main{max-width:34rem;padding:2rem}h1{font-size:1.25rem}p{white-space:pre-wrap;overflow-wrap:anywhere}a{margin-right:1.25rem}';

/** Returns the address of a page that shows a status and can do nothing: no script, nothing loaded. */
export function statusPage({ title, text, actions }: Status): string {
  const links = actions.map((action) => `<a href="${addressOf(action)}">${WORDS[action]}</a>`).join('');
  const html =
    '<!doctype html><html lang="en"><meta charset="utf-8">' +
    `<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">` +
    `<title>Bot Platform</title><style>${STYLE}</style>` +
    `<main role="status"><h1>${escaped(title)}</h1><p>${ticked(text)}</p><p>${links}</p></main></html>`;
  return `${PAGE}${encodeURIComponent(html)}`;
}

/** Returns the page to show for a host that is not running. */
export function statusOf(host: Exclude<DesktopHost, { at: 'running' }>): Status {
  switch (host.at) {
    case 'starting':
      return { title: 'Starting', text: 'The host is starting.', actions: [] };
    case 'restarting':
      return {
        title: 'The host ended unexpectedly',
        text: `It is started again (attempt ${host.attempt}). Bots that ran go on meanwhile.\n\nWhat it said: ${host.why}`,
        actions: ['log'],
      };
    case 'away':
      return {
        title: 'The host is gone',
        text: 'It was started outside of this app and has ended. The app joins it again when it is back.',
        actions: ['retry'],
      };
    case 'stopped':
      return { title: 'The host was stopped', text: 'A command has stopped it.', actions: ['retry', 'quit'] };
    case 'failed':
      return {
        title: 'The host could not start',
        text: host.hint === null ? host.message : `${host.message}\n\n${host.hint}`,
        actions: ['retry', 'log', 'quit'],
      };
  }
}
