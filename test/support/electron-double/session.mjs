import { browser } from './browser.mjs';
import { strict } from './strict.mjs';

/** Permissions by their names in the DevTools protocol, and in Electron. */
const PERMISSIONS = {
  geolocation: 'geolocation',
  notifications: 'notifications',
  camera: 'media',
  microphone: 'media',
  'clipboard-read': 'clipboard-read',
  'clipboard-write': 'clipboard-sanitized-write',
};
const SAME_SITE = { strict: 'Strict', lax: 'Lax', no_restriction: 'None' };

const cookies = strict('cookies', {
  async set({ url, name, value, path, httpOnly, secure, sameSite, expirationDate }) {
    const cookie = { url, name, value, path, httpOnly, secure, expires: expirationDate, sameSite: SAME_SITE[sameSite] };
    await browser.tools.send('Storage.setCookies', { cookies: [cookie] });
  },
  async get({ url, name }) {
    const all = await browser.tools.send('Storage.getCookies');
    const { hostname } = new URL(url);
    return all.cookies
      .filter((one) => one.domain === hostname && (name === undefined || one.name === name))
      .map((one) => ({ ...one, sameSite: one.sameSite?.toLowerCase() ?? 'unspecified' }));
  },
});

class Session {
  cookies = cookies;
  _check = () => true;
  _request = (_contents, _permission, answer) => answer(true);

  setPermissionRequestHandler(handler) {
    this._request = handler;
  }

  setPermissionCheckHandler(handler) {
    this._check = handler;
  }

  setDevicePermissionHandler() {
    // Chromium without a person has no devices to give.
  }

  /**
   * Gives this origin what either of the app's handlers would give it, and denies the rest; without a handler a page gets
   * all. Chromium has one setting for what Electron asks two handlers.
   */
  async _settle(origin) {
    for (const [name, permission] of Object.entries(PERMISSIONS)) {
      let isGiven = this._check(null, permission, origin, {});
      const details = { requestingUrl: `${origin}/`, isMainFrame: true };
      this._request(null, permission, (given) => (isGiven ||= given), details);
      const setting = isGiven ? 'granted' : 'denied';
      await browser.tools.send('Browser.setPermission', { origin, permission: { name }, setting });
    }
  }
}

export const session = strict('session', { defaultSession: strict('session', new Session()) });
