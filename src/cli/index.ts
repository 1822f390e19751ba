/**
 * cli: the pipeline at a terminal. The only room that prints and decides exit codes (docs/operations.md). Progress goes to
 * standard error, `--json` events to standard output. Control characters in names never reach the terminal. Only an
 * unexpected error prints a stack trace.
 */
export { createProgram, runCli } from './program.js';
