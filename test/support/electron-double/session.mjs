import { browser } from './browser.mjs';
import { strict } from './strict.mjs';

/** What a page can ask about, in the words of the DevTools protocol, and what Electron calls it. */
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
    return all.cookies.filter((one) => one.domain === hostname && (name === undefined || one.name === name));
  },
});

class Session {
  cookies = cookies;
  _mayAsk = null;

  setPermissionRequestHandler() {
    // Whoever asks in Chromium without a person gets what the check handler says.
  }

  setPermissionCheckHandler(handler) {
    this._mayAsk = handler;
  }

  setDevicePermissionHandler() {
    // Chromium without a person has no devices to give.
  }

  /** Gives and denies to this origin what the app's handler says; without a handler a page may ask for all. */
  async _settle(origin) {
    const mayAsk = this._mayAsk;
    for (const [name, permission] of Object.entries(PERMISSIONS)) {
      const setting = mayAsk === null || mayAsk(null, permission, origin, {}) ? 'granted' : 'denied';
      await browser.tools.send('Browser.setPermission', { origin, permission: { name }, setting });
    }
  }
}

export const session = strict('session', { defaultSession: strict('session', new Session()) });
