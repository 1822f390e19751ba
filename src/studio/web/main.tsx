import { render } from 'preact';

import { followAddress } from './address.js';
import { App } from './app.js';
import { RatePage } from './rate-page.js';
import { ReviewPage } from './review-page.js';
import { start } from './state.js';

const asked = new URLSearchParams(location.search);
const study = asked.get('rate');
const root = document.getElementById('app')!;
// A rater's page never asks for the topic: its selection would give a method away.
if (study !== null) render(<RatePage study={study} rater={asked.get('rater')} />, root);
else if (location.pathname === '/review') render(<ReviewPage />, root);
else {
  followAddress();
  render(<App />, root);
  void start();
}
