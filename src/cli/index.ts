/** cli: the pipeline at a terminal. The only room that prints and decides exit codes. */
export { EXIT, runCli } from './program.js';
