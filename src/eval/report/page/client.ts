/** The page's script: it shows the panels of the chosen measure, and opens what is folded for print. */
export const PAGE_SCRIPT = String.raw`'use strict';
(() => {
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const choices = all('input[name="measure"]'), panels = all('.panel');
  document.documentElement.classList.add('js');
  const show = () => {
    const chosen = choices.find((choice) => choice.checked) ?? choices[0];
    for (const panel of panels) panel.hidden = panel.dataset.measure !== chosen?.value;
  };
  for (const choice of choices) choice.addEventListener('change', show);
  // A browser may come back with another choice than the page was written with.
  addEventListener('pageshow', show);
  show();
  addEventListener('beforeprint', () => {
    for (const details of all('details:not([open])')) { details.open = true; details.dataset.printed = ''; }
  });
  addEventListener('afterprint', () => {
    for (const details of all('details[data-printed]')) { details.open = false; delete details.dataset.printed; }
  });
})();
`;
