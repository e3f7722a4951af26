import './tokens.css';
import './base.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { LogInGate } from './log-in-gate.tsx';
import { applyTheme } from './theme.ts';

// A page that has opened this one would be a way out for what a view reads.
window.opener = null;
applyTheme();
const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    {/* The policy of the page allows no <style> elements. */}
    <CSPProvider disableStyleElements>
      <LogInGate />
    </CSPProvider>
  </StrictMode>,
);
