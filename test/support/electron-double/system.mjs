// Menus, the tray, dialogs and the like. Nothing is drawn; tests act on them as they do on the real ones.
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { app } from './app.mjs';
import { preventable, strict } from './strict.mjs';

class MenuItem {
  constructor(options) {
    const { role, submenu, click } = options;
    Object.assign(this, { label: role ?? '', enabled: true, checked: false, id: undefined, ...options });
    this.type = options.type ?? (submenu === undefined ? 'normal' : 'submenu');
    this.submenu = submenu === undefined ? undefined : Menu.buildFromTemplate(submenu);
    this.click = () => {
      if (this.type === 'checkbox') this.checked = !this.checked;
      if (role === 'quit') app.quit();
      else click?.(this, undefined, preventable());
    };
  }
}

export class Menu {
  static #ofApp = null;
  items = [];

  static buildFromTemplate(template) {
    const menu = new Menu();
    menu.items = template.map((options) => new MenuItem(options));
    return menu;
  }

  static setApplicationMenu(menu) {
    Menu.#ofApp = menu;
  }

  static getApplicationMenu() {
    return Menu.#ofApp;
  }

  getMenuItemById(id) {
    for (const item of this.items) {
      const found = item.id === id ? item : item.submenu?.getMenuItemById(id);
      if (found) return found;
    }
    return null;
  }
}

export class Tray extends EventEmitter {
  constructor(image) {
    super();
    if (image.isEmpty()) throw new Error('The tray needs an icon');
  }

  setImage() {
    // Nothing is drawn.
  }

  setToolTip() {
    // Nothing is drawn.
  }

  setTitle() {
    // Nothing is drawn.
  }

  setContextMenu() {
    // Nothing is drawn.
  }
}

export class Notification extends EventEmitter {
  static isSupported = () => true;

  constructor({ title, body }) {
    super();
    this.title = title;
    this.body = body;
  }

  show() {
    this.emit('show', preventable());
  }
}

export const dialog = strict('dialog', {
  showOpenDialog: async () => ({ canceled: true, filePaths: [] }),
  showMessageBox: async (...args) => ({ response: args.at(-1).cancelId ?? 0, checkboxChecked: false }),
  showMessageBoxSync: (...args) => args.at(-1).cancelId ?? 0,
  showErrorBox: (title, text) => process.stderr.write(`${title}: ${text}\n`),
});

export const shell = strict('shell', {
  openExternal: async () => undefined,
  openPath: async () => '',
  showItemInFolder: () => undefined,
});

let copied = '';
export const clipboard = strict('clipboard', {
  readText: () => copied,
  writeText: (text) => {
    copied = text;
  },
});

const AREA = { x: 0, y: 0, width: 1920, height: 1080 };
export const screen = strict('screen', { getAllDisplays: () => [{ id: 1, bounds: AREA, workArea: AREA }] });
export const powerMonitor = strict('powerMonitor', new EventEmitter());

export const nativeImage = strict('nativeImage', {
  createFromPath: (path) => {
    const bytes = readFileSync(path);
    return strict('nativeImage', { isEmpty: () => bytes.length === 0, toPNG: () => bytes });
  },
});
