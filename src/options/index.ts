/**
 * options: every option of a run, declared once; command line, configuration file, library, studio and docs use this. To
 * add one: declare it with `.meta({ description, placeholder, group })` (a switch that is on by default also needs `off`,
 * an option that cannot change a result `affectsResult: false`), run `npm run docs`, and use `run.options.NAME`. `resultOptions` are those that can change a result; they
 * are part of the record and of keys.
 */
export {
  badValue,
  flawOfOptions,
  didYouMean,
  budgetsOf,
  checkOptions,
  configSchema,
  OPTION_GROUPS,
  optionFacts,
  optionsSchema,
  resultOptions,
  type Budgets,
  type Options,
  type OptionsInput,
} from './options.js';
