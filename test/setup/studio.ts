import { startBrowserServer } from '../studio/browser.js';

/** One browser for all tests of the studio. */
export default async function startBrowser(): Promise<() => Promise<void>> {
  const server = await startBrowserServer();
  return async () => {
    delete process.env['THROUGHLINE_BROWSER_SERVER'];
    await server?.close();
  };
}
