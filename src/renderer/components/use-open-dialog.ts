import { useEffect, useState } from 'react';

const DIALOGS = '[role="dialog"], [role="alertdialog"], dialog[open]';

/** Whether a window is over the page, other than one in which an element matches `except`. */
export function useOpenDialog(except: string): boolean {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const look = (): void => {
      const others = [...document.querySelectorAll(DIALOGS)].filter((one) => one.querySelector(except) === null);
      setOpen(others.length > 0);
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true });
    look();
    return () => observer.disconnect();
  }, [except]);
  return isOpen;
}
