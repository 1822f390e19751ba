import { render } from 'preact';

import { App } from './app.js';
import { RatePage } from './rate-page.js';
import { start } from './state.js';

const asked = new URLSearchParams(location.search);
const study = asked.get('rate');
const root = document.getElementById('app')!;
// A rater's page never asks for the topic: its selection would tell one of the methods.
if (study !== null) render(<RatePage study={study} rater={asked.get('rater')} />, root);
else {
  render(<App />, root);
  void start();
}
