// Starts the page.

import { render } from 'preact';
import { Shell } from './shell.tsx';

const place = document.getElementById('app');
if (place !== null) {
  place.replaceChildren();
  render(<Shell />, place);
}
