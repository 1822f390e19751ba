/** options: every option of a run, declared once; command line, configuration file, library, studio and docs use this. */
export { badValue, flawOfOptions } from './bad-value.js';
export { didYouMean } from './nearest.js';
export {
  budgetsOf,
  checkOptions,
  configSchema,
  OPTION_GROUPS,
  optionFacts,
  optionsSchema,
  resultOptions,
  type Budgets,
  type OptionFacts,
  type Options,
  type OptionsInput,
} from './options.js';
