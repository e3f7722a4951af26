import { Suspense, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { lazyPart } from '../components/lazy-part.ts';
import { Toasts } from '../components/toast.tsx';
import { useHost } from '../data/connection-and-user.ts';
import { useFleet } from '../data/fleet.ts';
import { usePinQuestion } from '../data/pin-question.ts';
import { lifetimeOf } from '../data/toast-list.ts';
import { dismissToast, useToasts } from '../data/toasts.ts';
import { PAGES } from './navigation-pages.ts';
import type { Does } from './palette/commands.ts';
import { doCommand } from './palette/do-command.ts';
import { Palette } from './palette/palette.tsx';
import { useShortcuts } from './shortcuts/use-shortcuts.ts';

const PinDialog = lazyPart(async () => (await import('./pin-dialog.tsx')).PinDialog);
const ShortcutSheet = lazyPart(async () => (await import('./shortcuts/shortcut-sheet.tsx')).ShortcutSheet);

interface OverlaysProps {
  readonly palette: boolean;
  readonly onPalette: (open: boolean) => void;
  readonly onOut: () => void;
}

/** Layers over every page: the palette, the shortcuts and their sheet, messages. */
export function Overlays({ palette, onPalette, onOut }: OverlaysProps) {
  const { socket, who } = useHost();
  const [, go] = useLocation();
  const [sheet, setSheet] = useState(false);
  const bots = useFleet((one) => one.bots);
  const asksPin = usePinQuestion((one) => one.question !== null);
  const toasts = useToasts((one) => one.list);
  const mayChange = who.scope !== 'read';
  const known = useMemo(() => ({ pages: PAGES, mayChange, bots: [...(bots?.values() ?? [])] }), [mayChange, bots]);
  useShortcuts((asked) => {
    if (asked.kind === 'palette') onPalette(!palette);
    else if (asked.kind === 'sheet') setSheet(true);
    else go(asked.path);
  });
  const act = (does: Does): void => doCommand(does, { socket, go, showShortcuts: () => setSheet(true), logOut: onOut });
  return (
    <>
      <Palette open={palette} known={known} onClose={() => onPalette(false)} onDo={act} />
      <Suspense fallback={null}>
        {sheet ? <ShortcutSheet open={true} onClose={() => setSheet(false)} /> : null}
      </Suspense>
      <Suspense fallback={null}>{asksPin ? <PinDialog /> : null}</Suspense>
      <Toasts list={toasts} lifetimeOf={lifetimeOf} onGone={dismissToast} />
    </>
  );
}
