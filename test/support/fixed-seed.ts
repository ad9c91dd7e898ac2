// Loaded before the tests of a CI run: property tests use the same seed every time, so that a change passes or fails for
// its own reasons. Elsewhere every run tries new inputs.

import { configureGlobal } from 'fast-check';

configureGlobal({ seed: 20_261_118 });
