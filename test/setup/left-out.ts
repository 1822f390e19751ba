import type { Reporter, TestModule, Vitest } from 'vitest/node';

import { fastParts, LONG, slowParts } from '../parts.js';

/** Says at the end of `npm test` what it left out, and the command for that. */
export default class LeftOut implements Reporter {
  #isFast = false;

  onInit({ config }: Vitest): void {
    const fast = fastParts.map(({ name }) => name);
    this.#isFast =
      config.tagsFilter !== undefined &&
      config.project.length > 0 &&
      config.project.every((name) => fast.includes(name));
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (!this.#isFast) return;
    const all = modules.flatMap((module) => [...module.children.allTests()]);
    const slow = all.filter((test) => test.tags.includes(LONG.tag) && test.result().state === 'skipped').length;
    const parts = [{ ...LONG, about: `${slow} ${LONG.about}` }, ...slowParts];
    const lines = parts.map(({ name, about }) => `${name.padEnd(12)} ${about}`);
    process.stdout.write(
      `\nLeft to the slow suite, "npm run test:all" (or a part of it, such as "npm run test:all -- studio"):\n${lines.map((line) => `  ${line}\n`).join('')}\n`,
    );
  }
}
