import { type Browser, chromium } from 'playwright-core';

/** Chromium as the tests run it; PLATFORM_TEST_CHROMIUM names another one. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.PLATFORM_TEST_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  });
}
