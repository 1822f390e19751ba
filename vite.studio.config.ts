import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** The page is built into `dist/studio/web`, beside the server that sends it. Names are fixed: same source, same files. */
export default defineConfig({
  root: fileURLToPath(new URL('./src/studio/web', import.meta.url)),
  base: './',
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('./dist/studio/web', import.meta.url)),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: { entryFileNames: 'studio.js', assetFileNames: 'studio[extname]', codeSplitting: false },
    },
  },
});
