/** Message where the browser refused to copy. */
export const NOT_COPIED = 'Not copied: select it and copy it by hand';

/** Copies through a hidden field: the only way for a page over plain HTTP. */
function copyByField(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.ariaHidden = 'true';
  field.style.cssText = 'position: fixed; inset: 0 auto auto 0; width: 1px; height: 1px; opacity: 0;';
  // What lies outside of an open window cannot be chosen.
  const home = focused?.closest('dialog, [role="dialog"], [role="alertdialog"]') ?? document.body;
  home.append(field);
  try {
    field.focus({ preventScroll: true });
    field.select();
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    field.remove();
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  }
}

/** Copies a text; false: the browser did not let the page. A page over plain HTTP has no clipboard. */
export async function copyText(text: string): Promise<boolean> {
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (clipboard !== undefined) {
    try {
      await clipboard.writeText(text);
      return true;
    } catch {
      // Not allowed here: the other way may be.
    }
  }
  return copyByField(text);
}
